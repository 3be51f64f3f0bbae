// Decompressor: gzip, zlib, zstd or bare deflate data, piece by piece, however
// many members or frames follow each other.
#ifndef SHARDINE_BASE_DECOMPRESSOR_H_
#define SHARDINE_BASE_DECOMPRESSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

enum class Compression : std::uint8_t {
  kNone,
  kGzip,
  kZlib,
  kZstd,
  kDeflate,  // without a frame, as in zip archives: never a guess
};

// The compression of data that begins with `head`, by its magic number. zlib
// has none, only two bytes that fit by chance once in a thousand times: kZlib
// is a guess.
Compression SniffCompression(ByteView head);

// Memory is bounded by the compression's window (zstd: at most 128 MiB is
// accepted), whatever the data says. Thread-compatible.
class Decompressor {
 public:
  struct Progress {
    std::size_t consumed = 0;  // bytes of `input`
    std::size_t produced = 0;  // bytes of `output`
  };

  virtual ~Decompressor() = default;

  // Goes on until `input` is used up or `output` is full. kCorrupt if the data
  // is damaged; kUnsupported if its window is too large, or if something else
  // follows its end. No calls after that.
  virtual Result<Progress> Decompress(ByteView input,
                                      std::span<std::byte> output) = 0;
  // True where the data may end: nothing was begun, or all is complete.
  virtual bool at_end() const = 0;
};

// REQUIRES: compression != kNone.
std::unique_ptr<Decompressor> MakeDecompressor(Compression compression);

// The beginning of the decompressed `head`, at most `max_size` bytes; as much
// as there is before damage. For guesses at a file's contents.
ByteBuffer DecompressHead(Compression compression, ByteView head,
                          std::size_t max_size);

}  // namespace shardine

#endif  // SHARDINE_BASE_DECOMPRESSOR_H_
