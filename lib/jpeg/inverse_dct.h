// The inverse DCT of libjpeg-turbo's default ("islow", Loeffler, Ligtenberg and
// Moschytz in 13-bit fixed point), with the arithmetic of its SIMD code, wrap
// for wrap: sums of 16 bits wrap, products have 32, each pass ends saturated.
#ifndef SHARDINE_JPEG_INVERSE_DCT_H_
#define SHARDINE_JPEG_INVERSE_DCT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/simd_level.h"
#include "jpeg/coefficients.h"
#include "jpeg/jpeg_frame.h"

namespace shardine {

// Steps by which a component's coefficients are multiplied.
struct alignas(64) DctSteps {
  // In the order of CoefficientOrderAt(level).
  std::array<std::int16_t, kBlockSize> step{};
};
DctSteps StepsAt(SimdLevel level,
                 const std::array<std::uint16_t, kBlockSize>& zigzag);

struct DctBlock {
  // 64, aligned to 64 bytes, in the order of CoefficientOrderAt(level). Place 0
  // is not used: the DC coefficient is `dc`.
  const std::int16_t* coefficients = nullptr;
  const DctSteps* steps = nullptr;
  std::uint8_t* samples = nullptr;  // of its upper left corner
  std::uint32_t stride = 0;         // bytes from row to row of samples
  std::int16_t dc = 0;
};

// Samples of all blocks, 8 rows of 8 each. Blocks of several components may be
// mixed: the more in one call, the better the vectors are filled.
// Thread-safe for blocks with samples of their own.
void InverseDct(SimdLevel level, std::span<const DctBlock> blocks);

}  // namespace shardine

#endif  // SHARDINE_JPEG_INVERSE_DCT_H_
