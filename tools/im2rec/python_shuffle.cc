#include "im2rec/python_shuffle.h"

#include <bit>

#include "base/check.h"

namespace shardine {

PythonRandom::PythonRandom(std::uint32_t seed)
    : twister_(std::span<const std::uint32_t>(&seed, 1)) {}

std::size_t PythonRandom::Below(std::size_t n) {
  const auto bits = static_cast<unsigned>(std::bit_width(n));
  SHARDINE_CHECK(n > 0 && bits <= 32);
  // Rejection over bit_width(n) bits, not of n - 1: it decides how many words
  // a power of two consumes.
  std::size_t drawn = twister_.Next() >> (32 - bits);
  while (drawn >= n) drawn = twister_.Next() >> (32 - bits);
  return drawn;
}

}  // namespace shardine
