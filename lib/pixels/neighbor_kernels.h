// The inner loops of NeighborFilters, compiled for each instruction set.
#ifndef SHARDINE_PIXELS_NEIGHBOR_KERNELS_H_
#define SHARDINE_PIXELS_NEIGHBOR_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/simd_level.h"

namespace shardine {

// Three bytes, or three floats, away lies the same channel of the pixel beside
// it. Sums begin with the middle, times the first weight; then comes, of each
// distance k, the sum of both that are k away, times weights[k]. Each product
// and each sum is rounded by itself.
struct NeighborKernels {
  // `count` sums over the neighbours of each value from `middle` on.
  void (*across)(const float* middle, std::span<const float> weights,
                 std::size_t count, float* sums);
  // `count` sums over rows, to the nearest byte, halves to even: rows[0] is the
  // middle, rows[2 k - 1] and rows[2 k] are k away. REQUIRES: no sum is below
  // 0, nor 2^22.
  void (*down)(const float* const* rows, std::span<const float> weights,
               std::size_t count, std::uint8_t* out);
  // The inner pixels of a row between two others: `count` bytes from `middle`
  // on, whose neighbours are three bytes away; `rest` is 1 - factor.
  void (*sharpen)(const std::uint8_t* above, const std::uint8_t* middle,
                  const std::uint8_t* below, std::size_t count, float rest,
                  std::uint8_t* out);
};

NeighborKernels VectorNeighborKernels(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_NEIGHBOR_KERNELS_H_
