// LateStorage: passes reads to another storage and answers them late, all that
// came in the meantime at once and the last one first, as a server may.
#ifndef SHARDINE_SUPPORT_LATE_STORAGE_H_
#define SHARDINE_SUPPORT_LATE_STORAGE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/readable_storage.h"

namespace shardine {

// Thread-safe.
class LateStorage : public ReadableStorage {
 public:
  // Answers when nothing was asked for so long. `below` must outlive this, as
  // this must its files.
  LateStorage(ReadableStorage& below, std::chrono::milliseconds quiet);
  ~LateStorage() override;

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override {
    return below_.Stat(path);
  }
  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    return below_.List(directory);
  }

  // How many times somebody had to wait for answers since the last call.
  std::uint64_t TakeWaits();

 private:
  class Server;
  class LateFile;
  ReadableStorage& below_;
  std::unique_ptr<Server> server_;
};

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_LATE_STORAGE_H_
