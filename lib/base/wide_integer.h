// Integers of 128 bits: products of counts and weights are exact in them.
#ifndef SHARDINE_BASE_WIDE_INTEGER_H_
#define SHARDINE_BASE_WIDE_INTEGER_H_

#include <cstdint>

namespace shardine {

// Neither is in the standard, hence the mark.
__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using)
__extension__ typedef __int128 SignedWide;     // NOLINT(modernize-use-using)

// floor(word * count / 2^64): of a word that is drawn, a number below `count`.
inline std::uint64_t Below(std::uint64_t word, std::uint64_t count) {
  return static_cast<std::uint64_t>(Wide{word} * count >> 64);
}

struct Quotient {
  Wide whole = 0;
  std::uint64_t rest = 0;
};

// REQUIRES: divisor > 0.
inline Quotient Divide(const Wide& number, std::uint64_t divisor) {
  // Nearly all numbers fit in 64 bits, of which division takes half the time.
  if (number >> 64 == 0) {
    const auto word = static_cast<std::uint64_t>(number);
    return {word / divisor, word % divisor};
  }
  const Wide whole = number / divisor;
  return {whole, static_cast<std::uint64_t>(number - whole * divisor)};
}

}  // namespace shardine

#endif  // SHARDINE_BASE_WIDE_INTEGER_H_
