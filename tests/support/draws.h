// Draws: random numbers that are the same on every machine, for the inputs of
// property tests.
#ifndef SHARDINE_TESTS_SUPPORT_DRAWS_H_
#define SHARDINE_TESTS_SUPPORT_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/philox.h"

namespace shardine {

class Draws {
 public:
  explicit Draws(std::uint32_t seed) : seed_(seed) {}

  // A number from 0 to bound - 1. REQUIRES: 0 < bound < 2^32.
  std::uint32_t Below(std::uint64_t bound) {
    return static_cast<std::uint32_t>(
        Philox4x32({count_++, 0, 0, 0}, {seed_, 0})[0] * bound >> 32);
  }
  bool Coin() { return Below(2) == 1; }
  char Byte() { return static_cast<char>(Below(256)); }
  std::string Bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = Byte();
    return bytes;
  }
  // Bytes with many repeats, which compress well.
  std::string Texture(std::size_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      bytes.append(1 + Below(9), static_cast<char>('a' + Below(3)));
    }
    bytes.resize(size);
    return bytes;
  }

 private:
  const std::uint32_t seed_;
  std::uint32_t count_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_DRAWS_H_
