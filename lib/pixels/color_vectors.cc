// Compiled once for each instruction set, by foreach_target.h.
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

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_SSE4

namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::Repartition<std::int16_t, D8>;
using D32 = hn::Repartition<std::int32_t, D8>;
using DF = hn::Repartition<float, D8>;
using DU = hn::Repartition<std::uint32_t, D8>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using VF = hn::Vec<DF>;

constexpr std::size_t kBytes = hn::MaxLanes(D8());

// Pixels at a time: all steps find their planes in the first cache.
constexpr std::size_t kBlock = 512;

// Bytes of three channels, or of pixels.
struct Colors {
  V8 r, g, b;
};

struct Planes {
  alignas(64) std::uint8_t r[kBlock];
  alignas(64) std::uint8_t g[kBlock];
  alignas(64) std::uint8_t b[kBlock];
};

// The values of a vector of bytes in words: those of even places, and of odd
// ones.
struct WordPair {
  V16 even, odd;
};

HWY_INLINE WordPair WordsOf(V8 bytes) {
  const D16 d;
  const hn::Repartition<std::uint16_t, D8> du;
  const auto words = hn::BitCast(du, bytes);
  return {hn::BitCast(d, hn::And(words, hn::Set(du, 0xFF))),
          hn::BitCast(d, hn::ShiftRight<8>(words))};
}

// REQUIRES: they are bytes.
HWY_INLINE V8 BytesOf(WordPair words) {
  return hn::BitCast(D8(), hn::Or(words.even, hn::ShiftLeft<8>(words.odd)));
}

HWY_INLINE V8 ClampedBytesOf(WordPair words) {
  const D16 d;
  const auto clamped = [&](V16 v) {
    return hn::Min(hn::Max(v, hn::Zero(d)), hn::Set(d, 255));
  };
  return BytesOf({clamped(words.even), clamped(words.odd)});
}

// The values of half a vector of words each, times 65536 if `kHigh`: signs then
// cost nothing.
struct FloatPair {
  VF lower, upper;
};

template <bool kHigh = false>
HWY_INLINE FloatPair FloatsOf(V16 words) {
  const D16 d;
  const V16 zero = hn::Zero(d);
  const auto convert = [](V16 v) {
    return hn::ConvertTo(DF(), hn::BitCast(D32(), v));
  };
  if constexpr (kHigh) {
    return {convert(hn::InterleaveLower(d, zero, words)),
            convert(hn::InterleaveUpper(d, zero, words))};
  }
  return {convert(hn::InterleaveLower(d, words, zero)),
          convert(hn::InterleaveUpper(d, words, zero))};
}

// REQUIRES: they are within 2^31. Highway's own conversion also corrects larger
// values, and takes twice as long.
HWY_INLINE V32 Truncated(VF values) {
  typedef std::int32_t Lanes __attribute__((vector_size(sizeof(VF))));
  V32 out;
  out.raw = reinterpret_cast<decltype(out.raw)>(
      __builtin_convertvector(values.raw, Lanes));
  return out;
}

// Beyond a word the nearest that it can hold.
HWY_INLINE V16 TruncatedWords(VF lower, VF upper) {
  return hn::ReorderDemote2To(D16(), Truncated(lower), Truncated(upper));
}

HWY_INLINE VF GrayOf(VF r, VF g, VF b) {
  const DF d;
  return hn::Floor(hn::Add(
      hn::Add(hn::Mul(r, hn::Set(d, 0.2989F)), hn::Mul(g, hn::Set(d, 0.587F))),
      hn::Mul(b, hn::Set(d, 0.114F))));
}

struct Scaling {
  VF factor, rest;

  HWY_INLINE V16 operator()(V16 words) const {
    const auto [lower, upper] = FloatsOf(words);
    return TruncatedWords(hn::Add(hn::Mul(lower, factor), rest),
                          hn::Add(hn::Mul(upper, factor), rest));
  }
  HWY_INLINE V8 operator()(V8 bytes) const {
    const WordPair words = WordsOf(bytes);
    return ClampedBytesOf({(*this)(words.even), (*this)(words.odd)});
  }
};

struct Saturation {
  VF factor, rest;

  HWY_INLINE void operator()(V16& r, V16& g, V16& b) const {
    const FloatPair red = FloatsOf(r);
    const FloatPair green = FloatsOf(g);
    const FloatPair blue = FloatsOf(b);
    const VF lower = hn::Mul(GrayOf(red.lower, green.lower, blue.lower), rest);
    const VF upper = hn::Mul(GrayOf(red.upper, green.upper, blue.upper), rest);
    const auto mixed = [&](const FloatPair& own) {
      return TruncatedWords(hn::Add(hn::Mul(own.lower, factor), lower),
                            hn::Add(hn::Mul(own.upper, factor), upper));
    };
    r = mixed(red);
    g = mixed(green);
    b = mixed(blue);
  }
  HWY_INLINE Colors operator()(const Colors& colors) const {
    WordPair r = WordsOf(colors.r);
    WordPair g = WordsOf(colors.g);
    WordPair b = WordsOf(colors.b);
    (*this)(r.even, g.even, b.even);
    (*this)(r.odd, g.odd, b.odd);
    return {ClampedBytesOf(r), ClampedBytesOf(g), ClampedBytesOf(b)};
  }
};

struct Graying {
  HWY_INLINE V16 operator()(V16 r, V16 g, V16 b) const {
    const FloatPair red = FloatsOf(r);
    const FloatPair green = FloatsOf(g);
    const FloatPair blue = FloatsOf(b);
    return TruncatedWords(GrayOf(red.lower, green.lower, blue.lower),
                          GrayOf(red.upper, green.upper, blue.upper));
  }
  HWY_INLINE WordPair Of(const Colors& colors) const {
    const WordPair r = WordsOf(colors.r);
    const WordPair g = WordsOf(colors.g);
    const WordPair b = WordsOf(colors.b);
    return {(*this)(r.even, g.even, b.even), (*this)(r.odd, g.odd, b.odd)};
  }
  HWY_INLINE Colors operator()(const Colors& colors) const {
    const V8 gray = BytesOf(Of(colors));
    return {gray, gray, gray};
  }
};

// The lesser of two floats' bits as unsigned numbers: of a positive and a
// negative float the positive one, of two positive ones the lesser.
HWY_INLINE VF LeastPositive(VF a, VF b) {
  const DU d;
  return hn::BitCast(DF(), hn::Min(hn::BitCast(d, a), hn::BitCast(d, b)));
}

struct Turning {
  // The sixth that a hue is in, and the middle value, which may be a level
  // below the least one of gray, whose range is taken to be 1.
  struct Place {
    V32 sixth, middle;
  };
  struct Places {
    V16 sixth, middle;
  };

  // All but `base` times 65536.
  HWY_INLINE Place Of(VF above, VF range, VF most, VF base) const {
    const DF d;
    const VF six = hn::Set(d, 6.0F);
    const VF hue = hn::Add(hn::Add(base, hn::Div(above, range)), by);
    const VF positive = LeastPositive(hue, hn::Add(hue, six));
    const VF turn = LeastPositive(positive, hn::Sub(positive, six));
    const V32 sixth = Truncated(turn);
    const VF odd = hn::ConvertTo(d, hn::Or(sixth, hn::Set(D32(), 1)));
    const VF share = hn::Abs(hn::Sub(odd, turn));
    const VF middle = hn::Mul(hn::Sub(most, hn::Mul(range, share)),
                              hn::Set(d, 255.999F / 255.0F * 0x1p-16F));
    return {sixth, Truncated(middle)};
  }
  HWY_INLINE Places Of(V16 above, V16 range, V16 most, V16 base) const {
    const FloatPair a = FloatsOf<true>(above);
    const FloatPair r = FloatsOf<true>(range);
    const FloatPair m = FloatsOf<true>(most);
    const FloatPair b = FloatsOf(base);
    const Place lower = Of(a.lower, r.lower, m.lower, b.lower);
    const Place upper = Of(a.upper, r.upper, m.upper, b.upper);
    return {hn::ReorderDemote2To(D16(), lower.sixth, upper.sixth),
            hn::ReorderDemote2To(D16(), lower.middle, upper.middle)};
  }
  HWY_INLINE Colors operator()(const Colors& colors) const {
    const D8 d;
    const auto& [r, g, b] = colors;
    const V8 most = hn::Max(hn::Max(r, g), b);
    const V8 least = hn::Min(hn::Min(r, g), b);
    const auto red = hn::Eq(most, r);
    const auto green = hn::Eq(most, g);
    const auto choose = [&](V8 of_red, V8 of_green, V8 of_blue) {
      return hn::IfThenElse(red, of_red,
                            hn::IfThenElse(green, of_green, of_blue));
    };
    const WordPair range =
        WordsOf(hn::Max(hn::Sub(most, least), hn::Set(d, 1)));
    const WordPair plus = WordsOf(choose(g, b, r));
    const WordPair minus = WordsOf(choose(b, r, g));
    const WordPair base =
        WordsOf(choose(hn::Zero(d), hn::Set(d, 2), hn::Set(d, 4)));
    const WordPair of = WordsOf(most);
    const Places even =
        Of(hn::Sub(plus.even, minus.even), range.even, of.even, base.even);
    const Places odd =
        Of(hn::Sub(plus.odd, minus.odd), range.odd, of.odd, base.odd);
    const V8 sixth = BytesOf({even.sixth, odd.sixth});
    const V8 middle = hn::Max(ClampedBytesOf({even.middle, odd.middle}), least);
    return {Chosen(0, sixth, most, middle, least),
            Chosen(1, sixth, most, middle, least),
            Chosen(2, sixth, most, middle, least)};
  }
  HWY_INLINE static V8 Chosen(std::size_t channel, V8 sixth, V8 most, V8 middle,
                              V8 least) {
    // By sixth: where it is the greatest, and where the middle one.
    alignas(16) static constexpr std::uint8_t kMost[3][16] = {
        {255, 0, 0, 0, 0, 255}, {0, 255, 255}, {0, 0, 0, 255, 255}};
    alignas(16) static constexpr std::uint8_t kMiddle[3][16] = {
        {0, 255, 0, 0, 255}, {255, 0, 0, 255}, {0, 0, 255, 0, 0, 255}};
    const D8 d;
    const auto where = [&](const std::uint8_t* table) {
      return hn::MaskFromVec(
          hn::TableLookupBytes(hn::LoadDup128(d, table), sixth));
    };
    return hn::IfThenElse(
        where(kMost[channel]), most,
        hn::IfThenElse(where(kMiddle[channel]), middle, least));
  }

  VF by;
};

template <typename Step>
HWY_INLINE void ForColors(Planes& planes, const Step& step) {
  const D8 d;
  for (std::size_t i = 0; i < kBlock; i += kBytes) {
    const Colors made =
        step(Colors{hn::Load(d, planes.r + i), hn::Load(d, planes.g + i),
                    hn::Load(d, planes.b + i)});
    hn::Store(made.r, d, planes.r + i);
    hn::Store(made.g, d, planes.g + i);
    hn::Store(made.b, d, planes.b + i);
  }
}

bool IsOfBytes(const ColorStep& step) {
  return step.kind == ColorStep::Kind::kScale ||
         step.kind == ColorStep::Kind::kLook;
}

// Applies the step to each byte, whatever its channel. REQUIRES: IsOfBytes; the
// count is one of whole vectors.
void ApplyToBytes(const ColorStep& step, std::uint8_t* bytes,
                  std::size_t count) {
  if (step.kind == ColorStep::Kind::kLook) {
    return LookUp(*step.table, bytes, count);
  }
  const D8 d;
  const Scaling scaling{hn::Set(DF(), step.factor), hn::Set(DF(), step.rest)};
  for (std::size_t i = 0; i < count; i += kBytes) {
    hn::StoreU(scaling(hn::LoadU(d, bytes + i)), d, bytes + i);
  }
}

HWY_INLINE void Apply(const ColorStep& step, Planes& planes) {
  const DF d;
  switch (step.kind) {
    case ColorStep::Kind::kScale:
    case ColorStep::Kind::kLook:
      return ApplyToBytes(step, planes.r, sizeof(planes));
    case ColorStep::Kind::kSaturate:
      return ForColors(
          planes, Saturation{hn::Set(d, step.factor), hn::Set(d, step.rest)});
    case ColorStep::Kind::kTurn:
      return ForColors(planes, Turning{hn::Set(d, step.factor)});
    case ColorStep::Kind::kGray:
      return ForColors(planes, Graying());
  }
}

HWY_INLINE std::uint64_t SumOf(const Planes& planes) {
  const D8 d;
  const D16 d16;
  V32 sum = hn::Zero(D32());
  const Graying gray;
  for (std::size_t i = 0; i < kBlock; i += kBytes) {
    const WordPair words =
        gray.Of({hn::Load(d, planes.r + i), hn::Load(d, planes.g + i),
                 hn::Load(d, planes.b + i)});
    const V16 both = hn::Add(words.even, words.odd);
    const V16 zero = hn::Zero(d16);
    const auto add = [&](V16 half) {
      sum = hn::Add(sum, hn::BitCast(D32(), half));
    };
    add(hn::InterleaveLower(d16, both, zero));
    add(hn::InterleaveUpper(d16, both, zero));
  }
  return static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(D32(), sum)));
}

HWY_INLINE void TakeApart(const std::uint8_t* rgb, Planes& planes) {
  const D8 d;
  for (std::size_t i = 0; i < kBlock; i += kBytes) {
    V8 r, g, b;
    hn::LoadInterleaved3(d, rgb + 3 * i, r, g, b);
    hn::Store(r, d, planes.r + i);
    hn::Store(g, d, planes.g + i);
    hn::Store(b, d, planes.b + i);
  }
}

HWY_INLINE void PutTogether(const Planes& planes, std::uint8_t* rgb) {
  const D8 d;
  for (std::size_t i = 0; i < kBlock; i += kBytes) {
    hn::StoreInterleaved3(hn::Load(d, planes.r + i), hn::Load(d, planes.g + i),
                          hn::Load(d, planes.b + i), d, rgb + 3 * i);
  }
}

// `count`: the pixels in the sum.
HWY_INLINE std::uint64_t AdjustBlock(std::uint8_t* rgb, std::size_t count,
                                     std::span<const ColorStep> steps,
                                     bool sums) {
  // Steps of bytes need no planes while they come first.
  while (!steps.empty() && IsOfBytes(steps.front())) {
    ApplyToBytes(steps.front(), rgb, 3 * kBlock);
    steps = steps.subspan(1);
  }
  if (steps.empty() && !sums) return 0;
  Planes planes;
  TakeApart(rgb, planes);
  for (const ColorStep& step : steps) Apply(step, planes);
  if (!steps.empty()) PutTogether(planes, rgb);
  if (!sums) return 0;
  // Black adds nothing.
  std::memset(planes.r + count, 0, kBlock - count);
  std::memset(planes.g + count, 0, kBlock - count);
  std::memset(planes.b + count, 0, kBlock - count);
  return SumOf(planes);
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

#else

ColorKernel Adjusting() { return PortableColorKernel(); }

#endif

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
