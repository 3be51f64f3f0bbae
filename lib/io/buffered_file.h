// BufferedFile: gathers the small pieces that a format writes, so that the
// operating system sees large ones; large pieces go there without a copy.
#ifndef SHARDINE_IO_BUFFERED_FILE_H_
#define SHARDINE_IO_BUFFERED_FILE_H_

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Destruction without Finish() abandons the file.
class BufferedFile {
 public:
  explicit BufferedFile(std::unique_ptr<WritableFile> file);

  // The place of a failure depends on the buffered bytes; after a failure the
  // object can only be destroyed.
  Status Append(ByteView bytes);

  // Appended so far: the offset of the next byte.
  std::uint64_t size() const { return size_; }

  // Writes the buffer: then the file below holds all size() bytes.
  Status Flush();
  // Writes the buffer, syncs and closes. No calls after it.
  Status Finish();

 private:
  std::unique_ptr<WritableFile> file_;
  ByteBuffer buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_IO_BUFFERED_FILE_H_
