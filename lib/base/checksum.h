// CRC-32C (ISA-L) and XXH3 (xxHash).
#ifndef SHARDINE_BASE_CHECKSUM_H_
#define SHARDINE_BASE_CHECKSUM_H_

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "shardine/digest.h"

namespace shardine {

// CRC-32C (Castagnoli, reflected 0x82F63B78, initial and final XOR all ones):
// Crc32c("123456789") == 0xe3069283. Pass the CRC of the bytes before as
// `previous` to go on: Crc32c(b, Crc32c(a)) == Crc32c(a + b).
std::uint32_t Crc32c(ByteView bytes, std::uint32_t previous = 0);

std::uint64_t Xxh3_64(ByteView bytes, std::uint64_t seed = 0);
Digest128 Xxh3_128(ByteView bytes);

// XXH3-128 (seed 0) of bytes that come piece by piece. Thread-compatible.
class Xxh3Stream {
 public:
  Xxh3Stream();
  ~Xxh3Stream();
  Xxh3Stream(Xxh3Stream&&) noexcept;
  Xxh3Stream& operator=(Xxh3Stream&&) noexcept;

  void Reset();
  void Update(ByteView bytes);
  template <Scalar T>
  void UpdateLe(T value) {
    std::byte raw[sizeof(T)];
    StoreLe(value, raw);
    Update(raw);
  }
  // The digest of all bytes so far; the stream can go on.
  Digest128 Digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_CHECKSUM_H_
