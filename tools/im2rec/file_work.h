// The work on a file's contents, done on the thread that read it.
#ifndef SHARDINE_IM2REC_FILE_WORK_H_
#define SHARDINE_IM2REC_FILE_WORK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

struct FileRequest {
  std::string path;
  std::uint64_t id = 0;  // of the record that it is for
};

// Keeps memory between files: one for each thread.
class FileWork {
 public:
  virtual ~FileWork() = default;

  // The bytes to pack in place of `contents`. Failures name the file. The
  // result depends on the arguments only.
  virtual Result<ByteBuffer> Do(const FileRequest& request,
                                ByteBuffer contents) = 0;
};

// Called once by each thread. Thread-safe.
using FileWorkFactory = std::function<std::unique_ptr<FileWork>()>;

}  // namespace shardine

#endif  // SHARDINE_IM2REC_FILE_WORK_H_
