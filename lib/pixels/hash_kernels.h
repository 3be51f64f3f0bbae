// The inner loop of HashTable, compiled for each instruction set.
#ifndef SHARDINE_PIXELS_HASH_KERNELS_H_
#define SHARDINE_PIXELS_HASH_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/simd_level.h"
#include "pixels/pdq_hash.h"

namespace shardine {

// Compares the first of `count` hashes, as many as fill whole vectors, and
// returns how many those are. Writes the numbers of those that are near.
using HashSearch = std::size_t (*)(
    const PdqHash& hash, const std::array<const std::uint64_t*, 4>& words,
    std::size_t count, std::uint32_t most, std::uint32_t* near,
    std::size_t& found);

HashSearch VectorHashSearch(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_HASH_KERNELS_H_
