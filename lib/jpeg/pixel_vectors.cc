// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/pixel_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <cstring>

#include "jpeg/pixel_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE

PixelKernels Pixels() { return PortablePixelKernels(); }

#else

namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::Repartition<std::int16_t, D8>;
using D32 = hn::Repartition<std::int32_t, D8>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

constexpr std::size_t kLanes = hn::MaxLanes(D8());
static_assert(kLanes <= kKernelPadding);

// ---- Colour

// Half of a vector of pixels.
struct Rgb16 {
  V16 r, g, b;
};

HWY_INLINE V32 GreenSums(V16 chroma) {
  const D16 d16;
  const D32 d32;
  constexpr std::uint32_t kFactors =
      static_cast<std::uint16_t>(kGreenCb) |
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(kGreenCr)) << 16;
  const V16 factors =
      hn::BitCast(d16, hn::Set(d32, static_cast<std::int32_t>(kFactors)));
  V32 rest = hn::Zero(d32);  // of targets that add halves, not neighbours
  const V32 sums = hn::ReorderWidenMulAccumulate(d32, chroma, factors,
                                                 hn::Set(d32, 1 << 15), rest);
  return hn::ShiftRight<16>(hn::RearrangeToOddPlusEven(sums, rest));
}

// `cb2` and `cr2` are twice the values, 0 being gray. Not yet clamped.
HWY_INLINE Rgb16 Convert(V16 y, V16 cb2, V16 cr2) {
  const D16 d;
  const V16 green =
      hn::ReorderDemote2To(d, GreenSums(hn::InterleaveLower(d, cb2, cr2)),
                           GreenSums(hn::InterleaveUpper(d, cb2, cr2)));
  return {hn::Add(y, hn::MulFixedPoint15(cr2, hn::Set(d, kRedCr))),
          hn::Add(y, green),
          hn::Add(y, hn::MulFixedPoint15(cb2, hn::Set(d, kBlueCb)))};
}

// Clamped; in each block of 16 those of `a` first.
HWY_INLINE V8 PackBytes(V16 a, V16 b) {
#if HWY_TARGET == HWY_AVX3
  return V8{_mm512_packus_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V8{_mm256_packus_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4
  return V8{_mm_packus_epi16(a.raw, b.raw)};
#else
  const hn::Half<D8> half;
  return hn::Combine(D8(), hn::DemoteTo(half, b), hn::DemoteTo(half, a));
#endif
}

struct Rgb8 {
  V8 r, g, b;
};

HWY_INLINE void Store(const Rgb8& pixels, std::size_t count,
                      std::uint8_t* rgb) {
  const D8 d;
  if (HWY_LIKELY(count >= kLanes)) {
    return hn::StoreInterleaved3(pixels.r, pixels.g, pixels.b, d, rgb);
  }
  HWY_ALIGN std::uint8_t last[3 * kLanes];
  hn::StoreInterleaved3(pixels.r, pixels.g, pixels.b, d, last);
  std::memcpy(rgb, last, 3 * count);
}

// ---- Chroma of full width

struct Words {
  V16 low, high;
};

HWY_INLINE Words Luma(const std::uint8_t* from) {
  const D8 d;
  const D16 d16;
  const V8 values = hn::LoadU(d, from);
  return {hn::BitCast(d16, hn::InterleaveLower(d, values, hn::Zero(d))),
          hn::BitCast(d16, hn::InterleaveUpper(d, values, hn::Zero(d)))};
}

// Twice the values, 0 being gray.
HWY_INLINE Words Chroma(const std::uint8_t* from) {
  const D8 d;
  const D16 d16;
  const V8 values = hn::Xor(hn::LoadU(d, from), hn::Set(d, 0x80));
  return {hn::ShiftRight<7>(
              hn::BitCast(d16, hn::InterleaveLower(d, hn::Zero(d), values))),
          hn::ShiftRight<7>(
              hn::BitCast(d16, hn::InterleaveUpper(d, hn::Zero(d), values)))};
}

HWY_INLINE Rgb8 Convert(const YccRow& row, std::size_t at) {
  const Words y = Luma(row.y + at);
  const Words cb = Chroma(row.cb + at);
  const Words cr = Chroma(row.cr + at);
  const Rgb16 low = Convert(y.low, cb.low, cr.low);
  const Rgb16 high = Convert(y.high, cb.high, cr.high);
  return {PackBytes(low.r, high.r), PackBytes(low.g, high.g),
          PackBytes(low.b, high.b)};
}

void ConvertRow(const YccRow& row, std::size_t count, std::uint8_t* rgb) {
  for (std::size_t at = 0; at < count; at += kLanes) {
    Store(Convert(row, at), count - at, rgb + 3 * at);
  }
}

// ---- Chroma of half the height, or half the width

// Half as many as a vector of bytes has.
using Narrow8 = hn::Rebind<std::uint8_t, D16>;

HWY_INLINE V16 SumOfRows(const std::uint8_t* near, const std::uint8_t* far) {
  const D16 d16;
  const V16 a = hn::PromoteTo(d16, hn::LoadU(Narrow8(), near));
  const V16 b = hn::PromoteTo(d16, hn::LoadU(Narrow8(), far));
  return hn::Add(hn::Add(a, b), hn::Add(a, a));
}

void AddRows(const std::uint8_t* near, const std::uint8_t* far,
             std::size_t count, std::int16_t* sums) {
  const D16 d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(SumOfRows(near + i, far + i), d, sums + i);
  }
}

void BlendRows(const std::uint8_t* near, const std::uint8_t* far,
               std::int16_t bias, std::size_t count, std::uint8_t* samples) {
  const D16 d;
  const V16 added = hn::Set(d, bias);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V16 sum = hn::Add(SumOfRows(near + i, far + i), added);
    hn::StoreU(hn::DemoteTo(Narrow8(), hn::ShiftRight<2>(sum)), Narrow8(),
               samples + i);
  }
}

// Twice the values, 0 being gray, of the pixels at even and at odd places.
struct DoubledChroma {
  V16 even, odd;
};

struct Biases {
  V16 left, right;
};

HWY_INLINE V16 Blend(V16 near, V16 far, V16 bias) {
  const D16 d;
  const V16 sum =
      hn::Add(hn::Add(near, hn::Add(near, near)), hn::Add(far, bias));
  const V16 value = hn::ShiftRight<4>(sum);
  return hn::Add(value, value);
}

template <bool kStartsRight>
HWY_INLINE DoubledChroma Double(const std::int16_t* sums,
                                const Biases& biases) {
  const D16 d;
  const V16 here = hn::LoadU(d, sums);
  const V16 next = hn::LoadU(d, sums + 1);
  if constexpr (kStartsRight) {
    return {Blend(here, next, biases.right), Blend(next, here, biases.left)};
  } else {
    const V16 before = hn::LoadU(d, sums - 1);
    return {Blend(here, before, biases.left), Blend(here, next, biases.right)};
  }
}

// Words of even places, then of odd ones in each block of 16: to their order.
HWY_INLINE V8 Zip(V16 even, V16 odd) {
  alignas(16) static constexpr std::uint8_t kOrder[16] = {
      0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
  return hn::TableLookupBytes(PackBytes(even, odd),
                              hn::LoadDup128(D8(), kOrder));
}

template <bool kStartsRight>
HWY_INLINE Rgb8 ConvertHalf(const HalfYccRow& row, const Biases& biases,
                            std::size_t at) {
  const D16 d;
  const V16 y = hn::BitCast(d, hn::LoadU(D8(), row.y + at));
  const DoubledChroma cb = Double<kStartsRight>(row.cb + at / 2, biases);
  const DoubledChroma cr = Double<kStartsRight>(row.cr + at / 2, biases);
  const Rgb16 even = Convert(hn::And(y, hn::Set(d, 255)), cb.even, cr.even);
  const hn::Repartition<std::uint16_t, D8> unsigned16;
  const V16 odd_y =
      hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(unsigned16, y)));
  const Rgb16 odd = Convert(odd_y, cb.odd, cr.odd);
  return {Zip(even.r, odd.r), Zip(even.g, odd.g), Zip(even.b, odd.b)};
}

template <bool kStartsRight>
HWY_INLINE void ConvertHalfRow(const HalfYccRow& row, std::size_t count,
                               std::uint8_t* rgb) {
  const D16 d;
  constexpr std::int16_t kGray = 128 * 16;
  const Biases biases = {
      hn::Sub(hn::Set(d, row.left_bias), hn::Set(d, kGray)),
      hn::Sub(hn::Set(d, row.right_bias), hn::Set(d, kGray))};
  for (std::size_t at = 0; at < count; at += kLanes) {
    Store(ConvertHalf<kStartsRight>(row, biases, at), count - at, rgb + 3 * at);
  }
}

void ConvertHalfRow(const HalfYccRow& row, std::size_t count,
                    std::uint8_t* rgb) {
  if (row.starts_right) {
    ConvertHalfRow<true>(row, count, rgb);
  } else {
    ConvertHalfRow<false>(row, count, rgb);
  }
}

PixelKernels Pixels() {
  return {&AddRows, &BlendRows, &ConvertRow, &ConvertHalfRow};
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

PixelKernels VectorPixelKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Pixels);
}

}  // namespace shardine
#endif
