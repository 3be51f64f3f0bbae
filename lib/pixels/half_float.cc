#include "pixels/half_float.h"

#include <bit>

namespace shardine {
namespace {

constexpr std::uint32_t kInfinity = 0x7F800000;     // of a float
constexpr std::uint32_t kTooLarge = 0x477FF000;     // 65,520
constexpr std::uint32_t kLeastNormal = 0x38800000;  // 2^-14
constexpr std::uint32_t kRebias = (127 - 15) << 23;
constexpr std::uint32_t kLeastNormalHalf = 0x0400;
constexpr std::uint32_t kInfiniteHalf = 0x7C00;
constexpr int kDropped = 23 - 10;  // bits of the fraction

}  // namespace

std::uint16_t HalfBits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t size = bits & 0x7FFFFFFF;
  std::uint32_t half = 0;
  if (size > kInfinity) {
    half = 0x7E00;
  } else if (size >= kTooLarge) {
    half = 0x7C00;
  } else if (size >= kLeastNormal) {
    const std::uint32_t even = size >> kDropped & 1;
    half = (size - kRebias + (1u << (kDropped - 1)) - 1 + even) >> kDropped;
  } else {
    // Floats from 0.5 on are 2^-24 apart, as halves below 2^-14 are.
    const float shifted = std::bit_cast<float>(size) + 0.5F;
    half = std::bit_cast<std::uint32_t>(shifted) -
           std::bit_cast<std::uint32_t>(0.5F);
  }
  return static_cast<std::uint16_t>(sign | half);
}

float HalfValue(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t size = half & 0x7FFFu;
  if (size < kLeastNormalHalf) {
    const float value = static_cast<float>(size) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  // Infinity and NaN have the greatest exponent of either type.
  const std::uint32_t rebias = size >= kInfiniteHalf ? 2 * kRebias : kRebias;
  return std::bit_cast<float>(sign | ((size << kDropped) + rebias));
}

}  // namespace shardine
