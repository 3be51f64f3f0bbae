// The inner loops of AdjustColors, compiled for each instruction set.
#ifndef SHARDINE_PIXELS_COLOR_KERNELS_H_
#define SHARDINE_PIXELS_COLOR_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/simd_level.h"

namespace shardine {

struct ColorStep {
  enum class Kind : std::uint8_t {
    kScale,     // v factor + rest
    kSaturate,  // v factor + gray rest
    kTurn,      // the hue by factor sixths of a turn, 0 to 6
    kGray,
  };
  Kind kind = Kind::kGray;
  float factor = 0;
  float rest = 0;
};

// All steps on `count` pixels, each ending in bytes; then the sum of their gray
// values if `sums`, else 0.
using ColorKernel = std::uint64_t (*)(std::uint8_t* rgb, std::size_t count,
                                      std::span<const ColorStep> steps,
                                      bool sums);

ColorKernel VectorColorKernel(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_COLOR_KERNELS_H_
