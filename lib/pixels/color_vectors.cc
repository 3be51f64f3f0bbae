// Compiled once for each instruction set, by foreach_target.h. The arithmetic
// is plain loops over blocks, which the compiler makes vectors of; only taking
// channels apart and together is written for them.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/color_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cstring>

#include "pixels/color_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

// Pixels at a time: their floats stay in the first cache.
constexpr std::size_t kBlock = 128;

struct Block {
  alignas(64) float r[kBlock];
  alignas(64) float g[kBlock];
  alignas(64) float b[kBlock];
};

struct Bytes {
  alignas(64) std::uint8_t r[kBlock];
  alignas(64) std::uint8_t g[kBlock];
  alignas(64) std::uint8_t b[kBlock];
};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_SSE4

namespace hn = hwy::HWY_NAMESPACE;
using D8 = hn::ScalableTag<std::uint8_t>;

HWY_INLINE void TakeApart(const std::uint8_t* rgb, Bytes& out) {
  const D8 d;
  for (std::size_t i = 0; i < kBlock; i += hn::MaxLanes(d)) {
    hn::Vec<D8> r, g, b;
    hn::LoadInterleaved3(d, rgb + 3 * i, r, g, b);
    hn::Store(r, d, out.r + i);
    hn::Store(g, d, out.g + i);
    hn::Store(b, d, out.b + i);
  }
}

HWY_INLINE void PutTogether(const Bytes& bytes, std::uint8_t* rgb) {
  const D8 d;
  for (std::size_t i = 0; i < kBlock; i += hn::MaxLanes(d)) {
    hn::StoreInterleaved3(hn::Load(d, bytes.r + i), hn::Load(d, bytes.g + i),
                          hn::Load(d, bytes.b + i), d, rgb + 3 * i);
  }
}

#else

inline void TakeApart(const std::uint8_t* rgb, Bytes& out) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    out.r[i] = rgb[3 * i];
    out.g[i] = rgb[3 * i + 1];
    out.b[i] = rgb[3 * i + 2];
  }
}

inline void PutTogether(const Bytes& bytes, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    rgb[3 * i] = bytes.r[i];
    rgb[3 * i + 1] = bytes.g[i];
    rgb[3 * i + 2] = bytes.b[i];
  }
}

#endif

HWY_INLINE void ToFloats(const std::uint8_t* bytes, float* out) {
  for (std::size_t i = 0; i < kBlock; ++i) out[i] = bytes[i];
}

HWY_INLINE void ToBytes(const float* values, std::uint8_t* out) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    out[i] = static_cast<std::uint8_t>(static_cast<int>(values[i]));
  }
}

// What a byte of it would be, as a float.
HWY_INLINE float Whole(float value) {
  return static_cast<float>(static_cast<int>(value));
}

HWY_INLINE float Clamped(float value) {
  const float low = value < 0.0F ? 0.0F : value;
  return Whole(low > 255.0F ? 255.0F : low);
}

HWY_INLINE float GrayOf(float r, float g, float b) {
  return Whole((r * 0.2989F + g * 0.587F) + b * 0.114F);
}

HWY_INLINE void Scale(float factor, float rest, float* values) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    values[i] = Clamped(values[i] * factor + rest);
  }
}

HWY_INLINE void Saturate(float factor, float rest, Block& block) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float gray = GrayOf(block.r[i], block.g[i], block.b[i]) * rest;
    block.r[i] = Clamped(block.r[i] * factor + gray);
    block.g[i] = Clamped(block.g[i] * factor + gray);
    block.b[i] = Clamped(block.b[i] * factor + gray);
  }
}

// HSV's channel n of hue `turn`, in sixths: greatest - range max(0, min(k, 4 -
// k, 1)), k = (n + turn) mod 6. It is what torchvision's six cases are.
HWY_INLINE float Channel(float n, float turn, float most, float range) {
  const float over = n + turn;
  const float k = over >= 6.0F ? over - 6.0F : over;
  const float side = k < 4.0F - k ? k : 4.0F - k;
  const float upper = side > 1.0F ? 1.0F : side;
  const float share = upper < 0.0F ? 0.0F : upper;
  return Whole((most - range * share) * (255.999F / 255.0F));
}

HWY_INLINE void Turn(float by, Block& block) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float r = block.r[i];
    const float g = block.g[i];
    const float b = block.b[i];
    const float upper = r > g ? r : g;
    const float lower = r < g ? r : g;
    const float most = upper > b ? upper : b;
    const float range = most - (lower < b ? lower : b);
    const float above = most == r ? g - b : most == g ? b - r : r - g;
    const float base = most == r ? 0.0F : most == g ? 2.0F : 4.0F;
    const float hue = base + above / (range == 0.0F ? 1.0F : range) + by;
    const float positive = hue < 0.0F ? hue + 6.0F : hue;
    const float turn = positive >= 6.0F ? positive - 6.0F : positive;
    block.r[i] = Channel(5.0F, turn, most, range);
    block.g[i] = Channel(3.0F, turn, most, range);
    block.b[i] = Channel(1.0F, turn, most, range);
  }
}

HWY_INLINE void MakeGray(Block& block) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float gray = GrayOf(block.r[i], block.g[i], block.b[i]);
    block.r[i] = gray;
    block.g[i] = gray;
    block.b[i] = gray;
  }
}

HWY_INLINE void Apply(const ColorStep& step, Block& block) {
  switch (step.kind) {
    case ColorStep::Kind::kScale:
      Scale(step.factor, step.rest, block.r);
      Scale(step.factor, step.rest, block.g);
      return Scale(step.factor, step.rest, block.b);
    case ColorStep::Kind::kSaturate:
      return Saturate(step.factor, step.rest, block);
    case ColorStep::Kind::kTurn:
      return Turn(step.factor, block);
    case ColorStep::Kind::kGray:
      return MakeGray(block);
  }
}

HWY_INLINE std::uint64_t SumOf(const Block& block, std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<std::int32_t>(
        (block.r[i] * 0.2989F + block.g[i] * 0.587F) + block.b[i] * 0.114F);
  }
  return static_cast<std::uint64_t>(sum);
}

// `count`: of the pixels, those that the sum is of.
HWY_INLINE std::uint64_t AdjustBlock(std::uint8_t* rgb, std::size_t count,
                                     std::span<const ColorStep> steps,
                                     bool sums) {
  Bytes bytes;
  Block block;
  TakeApart(rgb, bytes);
  ToFloats(bytes.r, block.r);
  ToFloats(bytes.g, block.g);
  ToFloats(bytes.b, block.b);
  for (const ColorStep& step : steps) Apply(step, block);
  if (!steps.empty()) {
    ToBytes(block.r, bytes.r);
    ToBytes(block.g, bytes.g);
    ToBytes(block.b, bytes.b);
    PutTogether(bytes, rgb);
  }
  return sums ? SumOf(block, count) : 0;
}

std::uint64_t Adjust(std::uint8_t* rgb, std::size_t count,
                     std::span<const ColorStep> steps, bool sums) {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    sum += AdjustBlock(rgb + 3 * i, kBlock, steps, sums);
  }
  if (i == count) return sum;
  // The last pixels in a whole block of their own.
  std::uint8_t rest[3 * kBlock] = {};
  std::memcpy(rest, rgb + 3 * i, 3 * (count - i));
  sum += AdjustBlock(rest, count - i, steps, sums);
  std::memcpy(rgb + 3 * i, rest, 3 * (count - i));
  return sum;
}

ColorKernel Adjusting() { return Adjust; }

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace shardine {

ColorKernel VectorColorKernel(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Adjusting);
}

}  // namespace shardine

#endif
