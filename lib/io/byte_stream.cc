#include "io/byte_stream.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::uint64_t kInputBytes = std::uint64_t{256} << 10;
// Bytes read beyond a request, since the next header is asked for next.
constexpr std::uint64_t kReadAhead = std::uint64_t{64} << 10;

// Makes room for `size` bytes, for half as much again as there is now where
// `most` allows it.
void MakeRoom(std::uint64_t size, std::uint64_t most, ByteBuffer& buffer) {
  if (size <= buffer.capacity()) return;
  const std::uint64_t grown = buffer.capacity() + buffer.capacity() / 2;
  buffer.Reserve(static_cast<std::size_t>(
      std::max(size, std::min<std::uint64_t>(grown, most))));
}

}  // namespace

ByteStream::ByteStream(const RandomAccessFile& file, Compression compression,
                       std::uint64_t window)
    : file_(file), window_bytes_(window) {
  if (compression != Compression::kNone) {
    decompressor_ = MakeDecompressor(compression);
  }
}

Result<ByteView> ByteStream::Peek(std::uint64_t count) {
  if (window_.size() - begin_ < count && !ended_) {
    SHARDINE_RETURN_IF_ERROR(Refill(count));
  }
  const ByteView unread = window_.view().subspan(begin_);
  return unread.first(
      static_cast<std::size_t>(std::min<std::uint64_t>(count, unread.size())));
}

void ByteStream::Advance(std::uint64_t count) {
  SHARDINE_CHECK(count <= window_.size() - begin_);
  begin_ += static_cast<std::size_t>(count);
  position_ += count;
}

Result<ByteView> ByteStream::Read(std::uint64_t count) {
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, Peek(count));
  Advance(bytes.size());
  return bytes;
}

Result<bool> ByteStream::Skip(std::uint64_t count) {
  const std::uint64_t held =
      std::min<std::uint64_t>(count, window_.size() - begin_);
  Advance(held);
  count -= held;
  if (!compressed()) return Jump(count);
  while (count > 0) {
    SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes,
                              Read(std::min(count, kWindowBytes)));
    if (bytes.empty()) return false;
    count -= bytes.size();
  }
  return true;
}

// REQUIRES: `count` is 0 or nothing is left in the window.
bool ByteStream::Jump(std::uint64_t count) {
  const std::uint64_t moved = std::min(count, file_.size() - file_position_);
  file_position_ += moved;
  position_ += moved;
  ended_ = file_position_ == file_.size();
  return moved == count;
}

// Makes the window hold `count` unread bytes, or all that are left.
Status ByteStream::Refill(std::uint64_t count) {
  const std::size_t unread = window_.size() - begin_;
  if (unread > 0 && begin_ > 0) {
    std::memmove(window_.data(), window_.data() + begin_, unread);
  }
  window_.Resize(unread);
  begin_ = 0;
  return compressed() ? Decompress(count) : ReadPlain(count);
}

// A length that a hostile header states is cut down to the bytes left in the
// file before any memory is taken.
Status ByteStream::ReadPlain(std::uint64_t count) {
  const std::uint64_t left = file_.size() - file_position_;
  const std::size_t unread = window_.size();
  const std::uint64_t asked = std::min(count, unread + left);
  const std::uint64_t ahead = std::min(kReadAhead, window_bytes_);
  const std::uint64_t want =
      std::min(std::max(asked + ahead, window_bytes_) - unread, left);
  MakeRoom(unread + want, unread + left, window_);
  window_.Resize(unread + static_cast<std::size_t>(want));
  Status read =
      file_.ReadExactly(file_position_, window_.span().subspan(unread));
  if (!read.ok()) {
    window_.Resize(unread);
    return std::move(read).At({.path = file_.path()});
  }
  file_position_ += want;
  ended_ = file_position_ == file_.size();
  return Status();
}

Status ByteStream::Decompress(std::uint64_t count) {
  const auto at_input = [&](Status status) {
    const std::uint64_t unread = input_.size() - input_begin_;
    return std::move(status).At(
        {.path = file_.path(), .offset = file_position_ - unread});
  };
  // The plain contents have no size that is known, so the limit goes by the
  // file.
  const std::uint64_t most = file_.size() + kMaxBeyondFile;
  if (count > most) {
    return at_input(
        Status(Code::kUnsupported, "a record of " + std::to_string(count) +
                                       " bytes in so small a compressed file"));
  }
  while (window_.size() < count && !ended_) {
    if (input_begin_ == input_.size() && file_position_ < file_.size()) {
      SHARDINE_RETURN_IF_ERROR(ReadInput());
    }
    const std::size_t before = window_.size();
    MakeRoom(before + kWindowBytes, most + kWindowBytes, window_);
    window_.Resize(before + static_cast<std::size_t>(kWindowBytes));
    auto progress = decompressor_->Decompress(
        input_.view().subspan(input_begin_), window_.span().subspan(before));
    window_.Resize(before + (progress.ok() ? progress->produced : 0));
    if (!progress.ok()) return at_input(std::move(progress).status());
    input_begin_ += progress->consumed;
    const bool used_up =
        input_begin_ == input_.size() && file_position_ == file_.size();
    // With all input gone the decompressor may still hold output. Only a call
    // that gives nothing shows that there is no more.
    if (!used_up || progress->produced > 0) continue;
    if (!decompressor_->at_end()) {
      return at_input(Status(Code::kCorrupt, "the compressed data ends early"));
    }
    ended_ = true;
  }
  return Status();
}

Status ByteStream::ReadInput() {
  const std::uint64_t size =
      std::min(kInputBytes, file_.size() - file_position_);
  input_begin_ = 0;
  input_.Resize(static_cast<std::size_t>(size));
  Status read = file_.ReadExactly(file_position_, input_.span());
  if (!read.ok()) {
    input_.Resize(0);
    return std::move(read).At({.path = file_.path()});
  }
  file_position_ += size;
  return Status();
}

}  // namespace shardine
