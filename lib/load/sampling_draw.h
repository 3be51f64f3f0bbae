// Random numbers of samplings that draw with replacement, apart from those of
// augmentation (sample_draws.h) and of orders (base/permutation.h).
#ifndef SHARDINE_LOAD_SAMPLING_DRAW_H_
#define SHARDINE_LOAD_SAMPLING_DRAW_H_

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/philox.h"

namespace shardine {

// XXH3-64 of the purpose, seeded with the seed.
inline std::uint64_t DrawKey(std::string_view purpose, std::uint64_t seed) {
  return Xxh3_64(AsBytes(purpose), seed);
}

// The first two words of Philox4x32-10 with that key and the counter (place,
// epoch), low halves first; the first word is the high half.
inline std::uint64_t DrawnWord(std::uint64_t key, std::uint64_t place,
                               std::uint64_t epoch) {
  const auto low = [](std::uint64_t word) {
    return static_cast<std::uint32_t>(word);
  };
  const auto words =
      Philox4x32({low(place), low(place >> 32), low(epoch), low(epoch >> 32)},
                 {low(key), low(key >> 32)});
  return std::uint64_t{words[0]} << 32 | words[1];
}

}  // namespace shardine

#endif  // SHARDINE_LOAD_SAMPLING_DRAW_H_
