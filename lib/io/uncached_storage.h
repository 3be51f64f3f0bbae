// UncachedStorage: a storage whose reads bypass every cache
// (RandomAccessFile::ReadAgain), to tell stored damage from a bad transfer.
#ifndef SHARDINE_IO_UNCACHED_STORAGE_H_
#define SHARDINE_IO_UNCACHED_STORAGE_H_

#include <memory>
#include <string>
#include <vector>

#include "io/readable_storage.h"

namespace shardine {

class UncachedStorage : public ReadableStorage {
 public:
  // `below` must outlive it.
  explicit UncachedStorage(ReadableStorage& below) : below_(below) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override {
    return below_.Stat(path);
  }
  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    return below_.List(directory);
  }

 private:
  ReadableStorage& below_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_UNCACHED_STORAGE_H_
