// The inner loops of AdjustColors, compiled for each instruction set.
#ifndef SHARDINE_PIXELS_COLOR_KERNELS_H_
#define SHARDINE_PIXELS_COLOR_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/simd_level.h"
#include "pixels/byte_table.h"

namespace shardine {

// The arithmetic, in floats of 32 bits, each product and each sum rounded by
// itself; "to a byte" is clamped, then truncated.
//   gray = trunc((0.2989 r + 0.587 g) + 0.114 b)
//   turn: the hue in sixths, hue = (base + above / range) + factor, with base
//         and above 0 and g - b where r is the greatest, else 2 and b - r where
//         g is, else 4 and r - g; brought to 0 to 6 by adding or taking 6. The
//         greatest and the least value stay, and a channel's place among them
//         is by the sixth of the hue; the third value is
//         (greatest - range share) (255.999 / 255) to a byte, where
//         share = |(trunc(hue) | 1) - hue|.
struct ColorStep {
  enum class Kind : std::uint8_t {
    kScale,     // v factor + rest to a byte
    kLook,      // v becomes its entry of `table`
    kSaturate,  // v factor + gray rest to a byte
    kTurn,      // the hue by factor sixths of a turn, 0 to 6
    kGray,
  };
  Kind kind = Kind::kGray;
  float factor = 0;
  float rest = 0;
  const ByteTable* table = nullptr;
};

// All steps on `count` pixels, each ending in bytes; then the sum of their gray
// values if `sums`, else 0. REQUIRES: no factor is beyond 1e6.
using ColorKernel = std::uint64_t (*)(std::uint8_t* rgb, std::size_t count,
                                      std::span<const ColorStep> steps,
                                      bool sums);

ColorKernel PortableColorKernel();
ColorKernel VectorColorKernel(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_COLOR_KERNELS_H_
