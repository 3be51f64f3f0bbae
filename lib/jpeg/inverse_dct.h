// The inverse DCT of libjpeg-turbo's default ("islow", Loeffler, Ligtenberg and
// Moschytz in 13-bit fixed point), with the arithmetic of its SIMD code, wrap
// for wrap: 16-bit sums, products of 32 bits, saturated to 16 after each pass.
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

struct DctBlock {
  // 64, aligned to 64 bytes, in the order of CoefficientOrderAt(level). Place 0
  // is not read.
  const std::int16_t* coefficients = nullptr;
  std::int16_t dc = 0;
  std::uint8_t* samples = nullptr;  // of its upper left corner
};

// Steps by which a component's coefficients are multiplied.
struct alignas(64) DctSteps {
  std::array<std::int16_t, kBlockSize> step{};  // in the same order
};
DctSteps StepsAt(SimdLevel level,
                 const std::array<std::uint16_t, kBlockSize>& zigzag);

// Samples of all blocks, each as 8 rows of 8 that lie `stride` bytes apart.
void InverseDct(SimdLevel level, std::span<const DctBlock> blocks,
                const DctSteps& steps, std::size_t stride);

}  // namespace shardine

#endif  // SHARDINE_JPEG_INVERSE_DCT_H_
