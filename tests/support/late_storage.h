// LateStorage: passes reads to another storage and answers them late, all that
// came in the meantime at once and the last one first, as a server may.
#ifndef SHARDINE_SUPPORT_LATE_STORAGE_H_
#define SHARDINE_SUPPORT_LATE_STORAGE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "support/storage_over.h"

namespace shardine {

// Thread-safe.
class LateStorage : public StorageOver {
 public:
  // Answers when nothing was asked for so long. `below` must outlive this, as
  // this must its files.
  LateStorage(ReadableStorage& below, std::chrono::milliseconds quiet);
  ~LateStorage() override;

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;

  // Number of waits for answers since the last call.
  std::uint64_t TakeWaits();

 private:
  class Server;
  class LateFile;
  std::unique_ptr<Server> server_;
};

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_LATE_STORAGE_H_
