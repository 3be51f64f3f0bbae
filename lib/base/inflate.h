// zlib: inflate piece by piece, and the CRC-32 that PNG and gzip use.
#ifndef SHARDINE_BASE_INFLATE_H_
#define SHARDINE_BASE_INFLATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

// CRC-32 (ISO 3309, reflected 0xEDB88320): Crc32("123456789") == 0xcbf43926.
// Pass the CRC of the bytes before as `previous` to go on.
std::uint32_t Crc32(ByteView bytes, std::uint32_t previous = 0);

// Decompresses one zlib stream (RFC 1950). Its memory is about 40 KiB for any
// stream. The caller bounds the output by the room that it gives.
// Thread-compatible.
class Inflater {
 public:
  struct Progress {
    std::size_t consumed = 0;  // bytes of `input`
    std::size_t produced = 0;  // bytes of `output`
    bool done = false;         // the stream has ended, its Adler-32 is right
  };

  // kIsaL takes half the time and twice the memory; it finds the same damage
  // and names it "inflate".
  enum class Kind : std::uint8_t { kZlib, kIsaL };

  explicit Inflater(Kind kind = Kind::kZlib);
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  // Goes on until `input` is used up, `output` is full or the stream ends.
  // kCorrupt if the stream is damaged. After `done` nothing is consumed.
  Result<Progress> Inflate(ByteView input, std::span<std::byte> output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_INFLATE_H_
