// Numbers that look random and are the same everywhere: inputs of properties.
#ifndef SHARDINE_TESTS_UNIT_PACK_DRAWS_H_
#define SHARDINE_TESTS_UNIT_PACK_DRAWS_H_

#include <cstdint>

#include "base/philox.h"

namespace shardine {

class Draws {
 public:
  explicit Draws(std::uint32_t seed) : seed_(seed) {}
  // 0 to n - 1. REQUIRES: 0 < n < 2^32.
  std::uint64_t Below(std::uint64_t n) {
    return Philox4x32({number_++, 0, 0, 0}, {seed_, 0})[0] * n >> 32;
  }
  bool Coin() { return Below(2) == 1; }

 private:
  std::uint32_t seed_;
  std::uint32_t number_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_PACK_DRAWS_H_
