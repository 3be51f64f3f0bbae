// Compiled once for each instruction set, by foreach_target.h: plain loops that
// the compiler makes vectors of.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/neighbor_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include "pixels/neighbor_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

void BeginSum(const float* HWY_RESTRICT a, float weight, std::size_t count,
              float* HWY_RESTRICT sum) {
  for (std::size_t i = 0; i < count; ++i) sum[i] = a[i] * weight;
}

void AddToSum(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
              float weight, std::size_t count, float* HWY_RESTRICT sum) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += (a[i] + b[i]) * weight;
}

void RoundSum(const float* HWY_RESTRICT sum, std::size_t count,
              std::uint8_t* HWY_RESTRICT out) {
  // Beyond 2^23 floats are integers, and adding rounds as the header says.
  constexpr float kIntegers = 0x1p23F;
  for (std::size_t i = 0; i < count; ++i) {
    const float whole = (sum[i] + kIntegers) - kIntegers;
    const float least = whole > 255.0F ? 255.0F : whole;
    out[i] = static_cast<std::uint8_t>(static_cast<int>(least));
  }
}

void SharpenRow(const std::uint8_t* HWY_RESTRICT above,
                const std::uint8_t* HWY_RESTRICT middle,
                const std::uint8_t* HWY_RESTRICT below, std::size_t count,
                float rest, std::uint8_t* HWY_RESTRICT out) {
  for (std::size_t i = 0; i < count; ++i) {
    const int around = above[i] + above[i + 3] + above[i + 6] + middle[i] +
                       middle[i + 6] + below[i] + below[i + 3] + below[i + 6];
    const int value = middle[i + 3];
    // No sum is half a step from the next mean: 13 is odd.
    const int soft = (around + 5 * value + 6) / 13;
    const float sharp =
        static_cast<float>(value) + static_cast<float>(soft - value) * rest;
    const float low = sharp < 0.0F ? 0.0F : sharp;
    out[i] = static_cast<std::uint8_t>(
        static_cast<int>(low > 255.0F ? 255.0F : low));
  }
}

NeighborKernels Filtering() {
  return {BeginSum, AddToSum, RoundSum, SharpenRow};
}

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace shardine {

NeighborKernels VectorNeighborKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Filtering);
}

}  // namespace shardine

#endif
