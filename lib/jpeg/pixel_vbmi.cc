// Rows of 64 pixels at a time: VBMI brings bytes of three vectors into the
// order of pixels by two permutations of each, and VNNI adds the products of a
// pair.
#include "jpeg/pixel_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC 12 sees uninitialised vectors in its own header (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Each function that uses the instructions needs this; a lambda would not have
// it.
#define SHARDINE_VBMI \
  __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vnni")))
#define SHARDINE_VBMI_INLINE SHARDINE_VBMI inline __attribute__((always_inline))

namespace shardine {
namespace {

constexpr std::size_t kLanes = 64;
static_assert(kLanes <= kKernelPadding);

// ---- To pixels

// For each byte of three vectors of pixels: the place of its pixel in a vector
// of one channel, plus 64 for the second channel; bits mark the third's.
struct PixelOrder {
  alignas(64) std::array<std::array<std::uint8_t, kLanes>, 3> place;
  std::array<std::uint64_t, 3> third{};
};

constexpr std::size_t InOrder(std::size_t pixel) { return pixel; }

// Where packing puts words of even and of odd pixels: in each block of 16 bytes
// the even ones first.
constexpr std::size_t EvenThenOdd(std::size_t pixel) {
  return pixel / 16 * 16 + pixel % 2 * 8 + pixel % 16 / 2;
}

constexpr PixelOrder OrderOf(std::size_t (*place)(std::size_t)) {
  PixelOrder order{};
  for (std::size_t i = 0; i < 3 * kLanes; ++i) {
    const std::size_t channel = i % 3;
    order.place[i / kLanes][i % kLanes] =
        static_cast<std::uint8_t>(place(i / 3) + (channel == 1 ? kLanes : 0));
    if (channel == 2) {
      order.third[i / kLanes] |= std::uint64_t{1} << i % kLanes;
    }
  }
  return order;
}

constexpr PixelOrder kInOrder = OrderOf(&InOrder);
constexpr PixelOrder kEvenThenOdd = OrderOf(&EvenThenOdd);

// 64 pixels, a vector for each channel.
struct Rgb8 {
  __m512i r, g, b;
};

template <std::size_t kPart>
SHARDINE_VBMI_INLINE void StorePart(const Rgb8& pixels, const PixelOrder& order,
                                    std::size_t count, std::uint8_t* rgb) {
  const __m512i place = _mm512_load_si512(order.place[kPart].data());
  const __m512i bytes = _mm512_mask_permutexvar_epi8(
      _mm512_permutex2var_epi8(pixels.r, place, pixels.g), order.third[kPart],
      place, pixels.b);
  std::uint8_t* const to = rgb + kPart * kLanes;
  if (__builtin_expect(count >= kLanes, 1)) {
    _mm512_storeu_si512(to, bytes);
  } else if (3 * count > kPart * kLanes) {
    const std::size_t left = 3 * count - kPart * kLanes;
    const std::uint64_t there =
        left < kLanes ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    _mm512_mask_storeu_epi8(to, there, bytes);
  }
}

SHARDINE_VBMI_INLINE void Store(const Rgb8& pixels, const PixelOrder& order,
                                std::size_t count, std::uint8_t* rgb) {
  StorePart<0>(pixels, order, count, rgb);
  StorePart<1>(pixels, order, count, rgb);
  StorePart<2>(pixels, order, count, rgb);
}

// ---- Colour

// Half of 64 pixels, not yet clamped.
struct Rgb16 {
  __m512i r, g, b;
};

SHARDINE_VBMI_INLINE __m512i GreenSums(__m512i chroma) {
  constexpr std::uint32_t kFactors =
      static_cast<std::uint16_t>(kGreenCb) |
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(kGreenCr)) << 16;
  return _mm512_srai_epi32(
      _mm512_dpwssd_epi32(
          _mm512_set1_epi32(1 << 15), chroma,
          _mm512_set1_epi32(static_cast<std::int32_t>(kFactors))),
      16);
}

// `cb2` and `cr2` are twice the values, 0 being gray.
SHARDINE_VBMI_INLINE Rgb16 Convert(__m512i y, __m512i cb2, __m512i cr2) {
  const __m512i green =
      _mm512_packs_epi32(GreenSums(_mm512_unpacklo_epi16(cb2, cr2)),
                         GreenSums(_mm512_unpackhi_epi16(cb2, cr2)));
  return {
      _mm512_add_epi16(y, _mm512_mulhrs_epi16(cr2, _mm512_set1_epi16(kRedCr))),
      _mm512_add_epi16(y, green),
      _mm512_add_epi16(y,
                       _mm512_mulhrs_epi16(cb2, _mm512_set1_epi16(kBlueCb)))};
}

SHARDINE_VBMI_INLINE Rgb8 Pack(const Rgb16& first, const Rgb16& second) {
  return {_mm512_packus_epi16(first.r, second.r),
          _mm512_packus_epi16(first.g, second.g),
          _mm512_packus_epi16(first.b, second.b)};
}

// ---- Chroma of full width

struct Words {
  __m512i low, high;
};

SHARDINE_VBMI_INLINE Words Luma(const std::uint8_t* from) {
  const __m512i values = _mm512_loadu_si512(from);
  return {_mm512_unpacklo_epi8(values, _mm512_setzero_si512()),
          _mm512_unpackhi_epi8(values, _mm512_setzero_si512())};
}

SHARDINE_VBMI_INLINE Words Chroma(const std::uint8_t* from) {
  const __m512i values =
      _mm512_xor_si512(_mm512_loadu_si512(from), _mm512_set1_epi8(-128));
  const __m512i zero = _mm512_setzero_si512();
  return {_mm512_srai_epi16(_mm512_unpacklo_epi8(zero, values), 7),
          _mm512_srai_epi16(_mm512_unpackhi_epi8(zero, values), 7)};
}

SHARDINE_VBMI void ConvertRow(const YccRow& row, std::size_t count,
                              std::uint8_t* rgb) {
  for (std::size_t at = 0; at < count; at += kLanes) {
    const Words y = Luma(row.y + at);
    const Words cb = Chroma(row.cb + at);
    const Words cr = Chroma(row.cr + at);
    Store(
        Pack(Convert(y.low, cb.low, cr.low), Convert(y.high, cb.high, cr.high)),
        kInOrder, count - at, rgb + 3 * at);
  }
}

// ---- Chroma of half the width

struct Biases {
  __m512i left, right;
};

SHARDINE_VBMI_INLINE __m512i Blend(__m512i near, __m512i far, __m512i bias) {
  const __m512i sum =
      _mm512_add_epi16(_mm512_add_epi16(near, _mm512_add_epi16(near, near)),
                       _mm512_add_epi16(far, bias));
  const __m512i value = _mm512_srai_epi16(sum, 4);
  return _mm512_add_epi16(value, value);
}

// Chroma of the pixels at even and at odd places.
struct DoubledChroma {
  __m512i even, odd;
};

template <bool kStartsRight>
SHARDINE_VBMI_INLINE DoubledChroma Double(const std::int16_t* sums,
                                          const Biases& biases) {
  const __m512i here = _mm512_loadu_si512(sums);
  const __m512i next = _mm512_loadu_si512(sums + 1);
  if constexpr (kStartsRight) {
    return {Blend(here, next, biases.right), Blend(next, here, biases.left)};
  } else {
    const __m512i before = _mm512_loadu_si512(sums - 1);
    return {Blend(here, before, biases.left), Blend(here, next, biases.right)};
  }
}

template <bool kStartsRight>
SHARDINE_VBMI void ConvertHalfRow(const HalfYccRow& row, std::size_t count,
                                  std::uint8_t* rgb) {
  constexpr std::int16_t kGray = 128 * 16;
  const Biases biases = {
      _mm512_set1_epi16(static_cast<std::int16_t>(row.left_bias - kGray)),
      _mm512_set1_epi16(static_cast<std::int16_t>(row.right_bias - kGray))};
  for (std::size_t at = 0; at < count; at += kLanes) {
    const __m512i y = _mm512_loadu_si512(row.y + at);
    const DoubledChroma cb = Double<kStartsRight>(row.cb + at / 2, biases);
    const DoubledChroma cr = Double<kStartsRight>(row.cr + at / 2, biases);
    Store(Pack(Convert(_mm512_and_si512(y, _mm512_set1_epi16(255)), cb.even,
                       cr.even),
               Convert(_mm512_srli_epi16(y, 8), cb.odd, cr.odd)),
          kEvenThenOdd, count - at, rgb + 3 * at);
  }
}

void ConvertHalf(const HalfYccRow& row, std::size_t count, std::uint8_t* rgb) {
  if (row.starts_right) {
    ConvertHalfRow<true>(row, count, rgb);
  } else {
    ConvertHalfRow<false>(row, count, rgb);
  }
}

}  // namespace

PixelKernels VbmiPixelKernels() {
  PixelKernels kernels = VectorPixelKernels(SimdLevel::kAvx512);
  kernels.convert = &ConvertRow;
  kernels.convert_half = &ConvertHalf;
  return kernels;
}

}  // namespace shardine

#else

namespace shardine {

PixelKernels VbmiPixelKernels() { return PortablePixelKernels(); }

}  // namespace shardine

#endif
