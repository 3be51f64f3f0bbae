// Compiled once for each instruction set, by foreach_target.h. Bytes and floats
// are plain loops over blocks, which the compiler makes vectors of.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/blend_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <bit>

#include "pixels/blend_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

constexpr std::size_t kBlendBlock = 64;

std::size_t BlendBytes(const std::uint8_t* HWY_RESTRICT other,
                       std::size_t count, const BlendWeights& weights,
                       std::uint8_t* HWY_RESTRICT own) {
  // Floats from here on are 1 apart: an addend is rounded to the nearest,
  // halves to even, and stands in the lowest bits.
  constexpr float kWhole = 0x1.8p23F;
  const auto [mine, theirs] = weights;
  std::size_t i = 0;
  for (; i + kBlendBlock <= count; i += kBlendBlock) {
    std::uint8_t* HWY_RESTRICT to = own + i;
    const std::uint8_t* HWY_RESTRICT from = other + i;
    for (std::size_t k = 0; k < kBlendBlock; ++k) {
      const float value = static_cast<float>(from[k]) * theirs +
                          static_cast<float>(to[k]) * mine;
      to[k] = static_cast<std::uint8_t>(
          std::bit_cast<std::uint32_t>(value + kWhole));
    }
  }
  return i;
}

std::size_t BlendFloats(const float* HWY_RESTRICT other, std::size_t count,
                        const BlendWeights& weights, float* HWY_RESTRICT own) {
  const auto [mine, theirs] = weights;
  std::size_t i = 0;
  for (; i + kBlendBlock <= count; i += kBlendBlock) {
    float* HWY_RESTRICT to = own + i;
    const float* HWY_RESTRICT from = other + i;
    for (std::size_t k = 0; k < kBlendBlock; ++k) {
      to[k] = from[k] * theirs + to[k] * mine;
    }
  }
  return i;
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

std::size_t BlendHalves(const std::uint16_t* other, std::size_t count,
                        const BlendWeights& weights, std::uint16_t* own) {
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const auto load = [&](const std::uint16_t* from) {
    return hn::PromoteTo(
        df, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from)));
  };
  const auto mine = hn::Set(df, weights.own);
  const auto theirs = hn::Set(df, weights.other);
  const std::size_t lanes = hn::Lanes(df);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value =
        hn::Add(hn::Mul(load(other + i), theirs), hn::Mul(load(own + i), mine));
    hn::StoreU(hn::DemoteTo(dh, value), dh,
               reinterpret_cast<hwy::float16_t*>(own + i));
  }
  return i;
}

#else

std::size_t BlendHalves(const std::uint16_t* /*other*/, std::size_t /*count*/,
                        const BlendWeights& /*weights*/,
                        std::uint16_t* /*own*/) {
  return 0;
}

#endif

BlendKernels Blending() { return {BlendBytes, BlendFloats, BlendHalves}; }

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace shardine {

BlendKernels VectorBlendKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Blending);
}

}  // namespace shardine

#endif
