// The inner loops of BlendValues, compiled for each instruction set.
#ifndef SHARDINE_PIXELS_BLEND_KERNELS_H_
#define SHARDINE_PIXELS_BLEND_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "base/simd_level.h"

namespace shardine {

// The weights of the two values; both floats.
struct BlendWeights {
  float own;
  float other;
};

// Each does the first values of `count`, as many as fill whole vectors, and
// returns how many those are. The two do not overlap.
struct BlendKernels {
  std::size_t (*bytes)(const std::uint8_t* other, std::size_t count,
                       const BlendWeights& weights, std::uint8_t* own);
  std::size_t (*floats)(const float* other, std::size_t count,
                        const BlendWeights& weights, float* own);
  // Below kAvx2: none.
  std::size_t (*halves)(const std::uint16_t* other, std::size_t count,
                        const BlendWeights& weights, std::uint16_t* own);
};

BlendKernels VectorBlendKernels(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_BLEND_KERNELS_H_
