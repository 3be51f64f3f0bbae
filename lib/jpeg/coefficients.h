// How coefficients lie in memory between entropy decoding and the IDCT.
#ifndef SHARDINE_JPEG_COEFFICIENTS_H_
#define SHARDINE_JPEG_COEFFICIENTS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "base/simd_level.h"

namespace shardine {

// The order of a block's 64 coefficients. Scatters write several at once in the
// order of the file, and wide permutations bring them into place later; code
// that stores them one by one stores them where they belong.
enum class CoefficientOrder : std::uint8_t { kNatural, kZigzag };

inline CoefficientOrder CoefficientOrderAt(SimdLevel level) {
  return level >= SimdLevel::kAvx512 ? CoefficientOrder::kZigzag
                                     : CoefficientOrder::kNatural;
}

struct alignas(64) CoefficientBlock {
  std::array<std::int16_t, 64> values{};
};
using AlignedCoefficients = std::vector<CoefficientBlock>;

}  // namespace shardine

#endif  // SHARDINE_JPEG_COEFFICIENTS_H_
