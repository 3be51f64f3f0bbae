// Integers of 128 bits: products of counts and weights are exact in them.
#ifndef SHARDINE_LOAD_WIDE_INTEGER_H_
#define SHARDINE_LOAD_WIDE_INTEGER_H_

#include <cstdint>

namespace shardine {

// Neither is in the standard, hence the mark.
__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using)

// floor(word * count / 2^64): of a word that is drawn, a number below `count`.
inline std::uint64_t Below(std::uint64_t word, std::uint64_t count) {
  return static_cast<std::uint64_t>(Wide{word} * count >> 64);
}

}  // namespace shardine

#endif  // SHARDINE_LOAD_WIDE_INTEGER_H_
