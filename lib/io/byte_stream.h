// ByteStream: the contents of a file from front to back through a window,
// decompressed on the way where the file is compressed as a whole. The scanners
// of formats that are read in order stand on it.
#ifndef SHARDINE_IO_BYTE_STREAM_H_
#define SHARDINE_IO_BYTE_STREAM_H_

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/decompressor.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class ByteStream {
 public:
  // The bytes held at a time beyond the size of the file itself, so that a
  // small compressed file cannot ask for any amount of memory.
  static constexpr std::uint64_t kMaxBeyondFile = std::uint64_t{64} << 20;

  static constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 20;

  // `file` must outlive the stream. A plain one is read by so many bytes at a
  // time, or as many as are asked for.
  ByteStream(const RandomAccessFile& file, Compression compression,
             std::uint64_t window = kWindowBytes);

  bool compressed() const { return decompressor_ != nullptr; }
  // The offset of the next byte. Where compressed() it counts in the plain
  // contents, so that it is no place in the file.
  std::uint64_t position() const { return position_; }

  // The next `count` bytes, without moving on; fewer only where the contents
  // end. Valid until the next call. Nothing is allocated for bytes that the
  // file does not have. kUnsupported for more than the file's size and
  // kMaxBeyondFile together; kCorrupt if the compressed data is damaged or ends
  // early; kIo. With path, and offset in the file.
  Result<ByteView> Peek(std::uint64_t count);
  // Moves on. REQUIRES: the last Peek returned at least `count` bytes.
  void Advance(std::uint64_t count);
  // Peek and Advance of all that it returned.
  Result<ByteView> Read(std::uint64_t count);
  // Moves on without keeping the bytes between, nor reading them where the file
  // is not compressed; false if the contents end before, where it stands then.
  Result<bool> Skip(std::uint64_t count);

 private:
  bool Jump(std::uint64_t count);
  Status Refill(std::uint64_t count);
  Status ReadPlain(std::uint64_t count);
  Status Decompress(std::uint64_t count);
  Status ReadInput();

  const RandomAccessFile& file_;
  const std::uint64_t window_bytes_;
  std::unique_ptr<Decompressor> decompressor_;
  std::uint64_t position_ = 0;
  std::uint64_t file_position_ = 0;  // of the next byte to read from the file
  ByteBuffer window_;                // unread: [begin_, window_.size())
  std::size_t begin_ = 0;
  ByteBuffer input_;  // compressed, unread: [input_begin_, input_.size())
  std::size_t input_begin_ = 0;
  bool ended_ = false;  // the window holds all that is left
};

}  // namespace shardine

#endif  // SHARDINE_IO_BYTE_STREAM_H_
