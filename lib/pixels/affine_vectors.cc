// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/affine_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cstring>

#include "pixels/affine_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_SSE4

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using D32 = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
using V32 = hn::Vec<D32>;
using VU = hn::Vec<DU>;

constexpr std::size_t kLanes = hn::MaxLanes(DF());
constexpr std::size_t kChannels = 3;
// Pixels at a time: their places and shares stay in the first-level cache.
constexpr std::size_t kBlock = 64;

// Beyond 2^23 floats are integers: adding rounds, halves to even, and the
// integer is in the lowest bits.
constexpr float kIntegers = 0x1.8p23F;

// Where the pixels of a row come from, in the order of operations that
// AffineAxis says.
class Places {
 public:
  Places(const AffineAxis& axis, float y)
      : across_(hn::Set(DF(), axis.across)),
        down_(hn::Set(DF(), y * axis.down)),
        one_(hn::Set(DF(), axis.one)),
        half_(hn::Set(DF(), axis.half)),
        limit_(hn::Set(DF(), axis.limit)) {}

  HWY_INLINE VF operator()(VF x) const {
    const DF d;
    const VF grid = hn::Add(hn::Add(hn::Mul(x, across_), down_), one_);
    const VF place = hn::Sub(hn::Mul(hn::Add(grid, hn::Set(d, 1.0F)), half_),
                             hn::Set(d, 0.5F));
    return hn::Min(hn::Max(place, hn::Set(d, -1.0F)), limit_);
  }

 private:
  VF across_, down_, one_, half_, limit_;
};

// The row's x and y places, and the columns of the pixels that have them.
struct RowPlaces {
  RowPlaces(const AffineTask& task, float row)
      : first((1.0F - static_cast<float>(task.size.width)) * 0.5F),
        x(task.x, row),
        y(task.y, row) {}

  // Halves of integers: no sum of them is rounded.
  HWY_INLINE VF Columns(std::size_t i) const {
    const float column = first + static_cast<float>(static_cast<int>(i));
    return hn::Add(hn::Set(DF(), column), iota);
  }

  float first;
  VF iota = hn::Iota(DF(), 0.0F);
  Places x, y;
};

HWY_INLINE V32 OffsetsOf(const AffineTask& task, V32 x, V32 y) {
  const D32 d;
  const V32 stride = hn::Set(d, static_cast<std::int32_t>(task.stride));
  return hn::Add(hn::Mul(y, stride), hn::Add(hn::Add(x, x), x));
}

HWY_INLINE V32 Nearest(VF places) {
  const D32 d;
  const V32 bits = hn::BitCast(d, hn::Add(places, hn::Set(DF(), kIntegers)));
  return hn::Sub(bits, hn::BitCast(d, hn::Set(DF(), kIntegers)));
}

// Bytes that making pixels may write beyond them.
constexpr std::size_t kBeyond = 4;

// Calls make(i, count, pixels) for up to kBlock pixels of the row from i on, in
// whole vectors.
template <typename Make>
HWY_INLINE void ForBlocks(const AffineTask& task, std::uint8_t* out,
                          const Make& make) {
  const std::size_t width = task.size.width;
  const std::size_t direct = width - std::min(width, kBeyond);
  std::size_t i = 0;
  for (; i + kBlock <= direct; i += kBlock) {
    make(i, kBlock, out + i * kChannels);
  }
  std::uint8_t buffer[2 * kBlock * kChannels];
  for (; i < width; i += kBlock) {
    const std::size_t count = std::min(kBlock, width - i);
    make(i, hwy::RoundUpTo(count, kLanes), buffer);
    std::memcpy(out + i * kChannels, buffer, count * kChannels);
  }
}

void TakeNearest(const AffineTask& task, float row, std::uint8_t* out) {
  const RowPlaces places(task, row);
  alignas(64) std::int32_t offsets[kBlock];
  const auto make = [&](std::size_t first, std::size_t count,
                        std::uint8_t* pixels) HWY_ATTR {
    for (std::size_t i = 0; i < count; i += kLanes) {
      const VF x = places.Columns(first + i);
      hn::Store(OffsetsOf(task, Nearest(places.x(x)), Nearest(places.y(x))),
                D32(), offsets + i);
    }
    // Each writes a byte of the next one's.
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(pixels + i * kChannels, task.first + offsets[i], 4);
    }
  };
  ForBlocks(task, out, make);
}

// The two pixels around each coordinate: the first one, and the shares of both;
// 0 for a pixel outside.
struct BetweenTwo {
  HWY_INLINE BetweenTwo(VF places, VF limit) {
    const DF d;
    const VF floor = hn::Floor(places);
    const VF share = hn::Sub(places, floor);
    const VF one = hn::Set(d, 1.0F);
    first = hn::ConvertTo(D32(), floor);
    before = hn::IfThenElseZero(
        hn::And(hn::Ge(floor, hn::Zero(d)), hn::Lt(floor, limit)),
        hn::Sub(one, share));
    after = hn::IfThenElseZero(hn::Lt(hn::Add(floor, one), limit), share);
  }

  V32 first;
  VF before, after;
};

struct Weights {
  VF top_left, top_right, bottom_left, bottom_right;
};

// The source pixels and shares of a block's pixels.
struct BilinearBlock {
  alignas(64) std::int32_t offsets[kBlock];
  // The left and the right one of the pixels above and below.
  alignas(64) std::uint64_t above[kBlock];
  alignas(64) std::uint64_t below[kBlock];
  alignas(64) float left[kBlock];
  alignas(64) float right[kBlock];
  alignas(64) float top[kBlock];
  alignas(64) float bottom[kBlock];

  HWY_INLINE void Find(const AffineTask& task, const RowPlaces& places,
                       std::size_t column, std::size_t count) {
    const DF d;
    for (std::size_t i = 0; i < count; i += kLanes) {
      const VF columns = places.Columns(column + i);
      const BetweenTwo x(places.x(columns), hn::Set(d, task.x.limit));
      const BetweenTwo y(places.y(columns), hn::Set(d, task.y.limit));
      hn::Store(OffsetsOf(task, x.first, y.first), D32(), offsets + i);
      hn::Store(x.before, d, left + i);
      hn::Store(x.after, d, right + i);
      hn::Store(y.before, d, top + i);
      hn::Store(y.after, d, bottom + i);
    }
  }
  HWY_INLINE void Fetch(const AffineTask& task, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t* const pixel = task.first + offsets[i];
      std::memcpy(above + i, pixel, 8);
      std::memcpy(below + i, pixel + task.stride, 8);
    }
  }
  HWY_INLINE Weights WeightsAt(std::size_t i) const {
    const DF d;
    const VF l = hn::Load(d, left + i);
    const VF r = hn::Load(d, right + i);
    const VF t = hn::Load(d, top + i);
    const VF b = hn::Load(d, bottom + i);
    return {hn::Mul(l, t), hn::Mul(r, t), hn::Mul(l, b), hn::Mul(r, b)};
  }
};

// Pixels beside each other, by channel.
struct Neighbors {
  explicit HWY_INLINE Neighbors(const std::uint64_t* pairs) {
    const DU d;
    const auto* const words = reinterpret_cast<const std::uint32_t*>(pairs);
    const VU first = hn::Load(d, words);
    const VU second = hn::Load(d, words + kLanes);
    const VU low = hn::ConcatEven(d, second, first);
    const VU high = hn::ConcatOdd(d, second, first);
    left[0] = Byte(low);
    left[1] = Byte(hn::ShiftRight<8>(low));
    left[2] = Byte(hn::ShiftRight<16>(low));
    right[0] = Byte(hn::ShiftRight<24>(low));
    right[1] = Byte(high);
    right[2] = Byte(hn::ShiftRight<8>(high));
  }

  VF left[kChannels];
  VF right[kChannels];

 private:
  HWY_INLINE static VF Byte(VU words) {
    const VU byte = hn::And(words, hn::Set(DU(), 0xFF));
    return hn::ConvertTo(DF(), hn::BitCast(D32(), byte));
  }
};

// The nearest bytes in the lowest bits. REQUIRES: not far below 0.
HWY_INLINE VU NearestBytes(VF values) {
  const DF d;
  const VF least = hn::Min(values, hn::Set(d, 255.0F));
  return hn::And(hn::BitCast(DU(), hn::Add(least, hn::Set(d, kIntegers))),
                 hn::Set(DU(), 0xFF));
}

// Each word's three bytes, one word after the other; four bytes more are
// written.
HWY_INLINE void StorePixels(VU pixels, std::uint8_t* out) {
  alignas(16) static constexpr std::uint8_t kThree[16] = {
      0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0x80, 0x80, 0x80, 0x80};
  const hn::Repartition<std::uint8_t, DU> d8;
  alignas(64) std::uint8_t bytes[kLanes * 4];
  hn::Store(
      hn::TableLookupBytes(hn::BitCast(d8, pixels), hn::LoadDup128(d8, kThree)),
      d8, bytes);
  for (std::size_t i = 0; i < kLanes / 4; ++i) {
    std::memcpy(out + 12 * i, bytes + 16 * i, 16);
  }
}

template <bool kFills>
HWY_INLINE VU MakePixels(const BilinearBlock& block, std::size_t i,
                         const VF* fill) {
  const Weights weights = block.WeightsAt(i);
  const Neighbors above(block.above + i);
  const Neighbors below(block.below + i);
  const VF inside =
      hn::Add(hn::Add(hn::Add(weights.top_left, weights.top_right),
                      weights.bottom_left),
              weights.bottom_right);
  const auto value = [&](std::size_t c) {
    VF sum = hn::Mul(above.left[c], weights.top_left);
    sum = hn::Add(sum, hn::Mul(above.right[c], weights.top_right));
    sum = hn::Add(sum, hn::Mul(below.left[c], weights.bottom_left));
    sum = hn::Add(sum, hn::Mul(below.right[c], weights.bottom_right));
    if constexpr (kFills) {
      sum = hn::Add(hn::Mul(hn::Sub(sum, fill[c]), inside), fill[c]);
    }
    return NearestBytes(sum);
  };
  return hn::Or(value(0), hn::Or(hn::ShiftLeft<8>(value(1)),
                                 hn::ShiftLeft<16>(value(2))));
}

template <bool kFills>
HWY_INLINE void TakeBilinear(const AffineTask& task, float row,
                             std::uint8_t* out) {
  const DF d;
  const RowPlaces places(task, row);
  const auto color = task.outside.value_or(std::array<std::uint8_t, 3>{});
  const VF fill[kChannels] = {hn::Set(d, static_cast<float>(color[0])),
                              hn::Set(d, static_cast<float>(color[1])),
                              hn::Set(d, static_cast<float>(color[2]))};
  BilinearBlock block;
  const auto make = [&](std::size_t first, std::size_t count,
                        std::uint8_t* pixels) HWY_ATTR {
    block.Find(task, places, first, count);
    block.Fetch(task, count);
    for (std::size_t i = 0; i < count; i += kLanes) {
      StorePixels(MakePixels<kFills>(block, i, fill), pixels + i * kChannels);
    }
  };
  ForBlocks(task, out, make);
}

void TakeAnyBilinear(const AffineTask& task, float row, std::uint8_t* out) {
  if (task.outside) return TakeBilinear<true>(task, row, out);
  TakeBilinear<false>(task, row, out);
}

AffineKernels Sampling() { return {TakeNearest, TakeAnyBilinear}; }

#else

AffineKernels Sampling() { return PortableAffineKernels(); }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace shardine {

AffineKernels VectorAffineKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Sampling);
}

}  // namespace shardine

#endif
