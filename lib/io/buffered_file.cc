#include "io/buffered_file.h"

#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// Larger pieces are not copied: a copy costs more than the smaller writes
// around it.
constexpr std::size_t kDirectBytes = kBufferBytes / 4;

}  // namespace

BufferedFile::BufferedFile(std::unique_ptr<WritableFile> file)
    : file_(std::move(file)) {}

Status BufferedFile::Append(ByteView bytes) {
  size_ += bytes.size();
  const bool direct = bytes.size() >= kDirectBytes;
  if (direct || buffer_.size() + bytes.size() > kBufferBytes) {
    SHARDINE_RETURN_IF_ERROR(Flush());
  }
  if (direct) return file_->Append(bytes);
  buffer_.Append(bytes);
  return {};
}

Status BufferedFile::Flush() {
  if (buffer_.size() == 0) return {};
  Status status = file_->Append(buffer_.view());
  buffer_.Resize(0);
  return status;
}

Status BufferedFile::Finish() {
  SHARDINE_RETURN_IF_ERROR(Flush());
  SHARDINE_RETURN_IF_ERROR(file_->Sync());
  return file_->Close();
}

}  // namespace shardine
