// The inner loops of NeighborFilters, compiled for each instruction set.
#ifndef SHARDINE_PIXELS_NEIGHBOR_KERNELS_H_
#define SHARDINE_PIXELS_NEIGHBOR_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "base/simd_level.h"

namespace shardine {

struct NeighborKernels {
  // sum[i] = a[i] weight
  void (*begin)(const float* a, float weight, std::size_t count, float* sum);
  // sum[i] += (a[i] + b[i]) weight
  void (*add)(const float* a, const float* b, float weight, std::size_t count,
              float* sum);
  // To the nearest, halves to even. REQUIRES: 0 <= sum[i] < 2^22.
  void (*round)(const float* sum, std::size_t count, std::uint8_t* out);
  // The inner pixels of a row between two others: `count` bytes from `middle`
  // on, whose neighbours are three bytes away; `rest` is 1 - factor.
  void (*sharpen)(const std::uint8_t* above, const std::uint8_t* middle,
                  const std::uint8_t* below, std::size_t count, float rest,
                  std::uint8_t* out);
};

NeighborKernels VectorNeighborKernels(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_NEIGHBOR_KERNELS_H_
