// StorageOver: base of storages of tests that stand on another one and change
// how its files are read.
#ifndef SHARDINE_SUPPORT_STORAGE_OVER_H_
#define SHARDINE_SUPPORT_STORAGE_OVER_H_

#include <string>
#include <vector>

#include "io/readable_storage.h"

namespace shardine {

class StorageOver : public ReadableStorage {
 public:
  Result<FileInfo> Stat(const std::string& path) override {
    return below_.Stat(path);
  }
  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    return below_.List(directory);
  }

 protected:
  // `below` must outlive it.
  explicit StorageOver(ReadableStorage& below) : below_(below) {}
  ReadableStorage& below() const { return below_; }

 private:
  ReadableStorage& below_;
};

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_STORAGE_OVER_H_
