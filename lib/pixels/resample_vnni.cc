// VNNI adds four products of bytes to each lane, and VBMI shuffles all 64 bytes
// of a vector: together they halve the work of a sum. Weights become three
// signed digits of base 256.
#include <algorithm>
#include <array>
#include <cstring>

#include "pixels/resample_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC 12 sees uninitialised vectors in its own header (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Each function that uses the instructions needs this; a lambda would not have
// it.
#define SHARDINE_VNNI \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")))

namespace shardine {
namespace {

constexpr std::uint32_t kLanes = 16;
constexpr std::uint32_t kWindow = 64;
constexpr std::uint32_t kGroupTaps = 4;
constexpr std::uint32_t kPlaces = 3;
// Three digits hold a little less than 2.0.
constexpr std::int32_t kMaxWeight = (1 << 23) - (1 << 16);

bool HasDigits(const ResampleAxis& axis) {
  std::int32_t too_large = 0;
  for (const std::int32_t weight : axis.weights) {
    too_large |= weight <= -kMaxWeight || weight >= kMaxWeight ? 1 : 0;
  }
  return too_large == 0;
}

// The digit of 256^place; those below are taken off.
std::int8_t TakeDigit(std::int32_t& weight) {
  const auto digit =
      static_cast<std::int8_t>(static_cast<std::uint32_t>(weight));
  weight = (weight - digit) >> 8;
  return digit;
}

// The digits of a group of `count` <= kGroupTaps taps, for each place.
std::array<std::uint32_t, kPlaces> DigitsOf(const std::int32_t* weights,
                                            std::uint32_t count) {
  std::array<std::uint32_t, kPlaces> words{};
  for (std::uint32_t k = 0; k < count; ++k) {
    std::int32_t weight = weights[k];
    for (std::uint32_t& word : words) {
      word |= std::uint32_t{static_cast<std::uint8_t>(TakeDigit(weight))}
              << 8 * k;
    }
  }
  return words;
}

// ---- Rows

// Places the window of a step, whose inputs begin at `firsts`, and writes its
// pattern; false if they lie too far apart.
bool PlanStep(const std::uint32_t* firsts, std::uint32_t channels,
              std::uint32_t& base, std::uint8_t* pattern) {
  base = firsts[0];
  std::uint32_t end = base;
  for (std::uint32_t i = 1; i < kLanes; ++i) {
    base = std::min(base, firsts[i]);
    end = std::max(end, firsts[i]);
  }
  if (end - base + (kGroupTaps - 1) * channels >= kWindow) return false;
  // The four taps of a value in a word.
  const std::uint32_t taps = 0x03020100 * channels;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const std::uint32_t word = 0x01010101 * (firsts[i] - base) + taps;
    std::memcpy(pattern + std::size_t{4} * i, &word, sizeof(word));
  }
  return true;
}

void PlanDigits(const ResampleAxis& axis, RowPlan& plan) {
  plan.digits.resize(plan.bases.size() * plan.groups * kPlaces * kWindow);
  for (std::uint32_t pixel = 0; pixel < axis.out; ++pixel) {
    for (std::uint32_t group = 0; group < plan.groups; ++group) {
      const std::uint32_t first = group * kGroupTaps;
      const auto words = DigitsOf(axis.weights_of(pixel) + first,
                                  std::min(kGroupTaps, axis.taps - first));
      for (std::uint32_t c = 0; c < plan.channels; ++c) {
        const std::uint32_t value = pixel * plan.channels + c;
        std::int8_t* digits =
            plan.digits.data() +
            (std::size_t{value} / kLanes * plan.groups + group) * kPlaces *
                kWindow +
            std::size_t{value} % kLanes * kGroupTaps;
        for (std::uint32_t place = 0; place < kPlaces; ++place) {
          std::memcpy(digits + place * kWindow, &words[place],
                      sizeof(words[place]));
        }
      }
    }
  }
}

RowPlan PlanRows(const ResampleAxis& axis, std::uint32_t channels) {
  RowPlan plan;
  plan.values = axis.out * channels;
  plan.channels = channels;
  plan.lanes = kLanes;
  plan.windows = 1;
  plan.groups = (axis.taps + kGroupTaps - 1) / kGroupTaps;
  plan.group_bytes = kGroupTaps * channels;
  const std::size_t steps = (plan.values + kLanes - 1) / kLanes;
  plan.bases.resize(steps);
  plan.patterns.resize(steps * kWindow);
  bool near = HasDigits(axis);
  const std::vector<std::uint32_t> firsts = FirstInputs(axis, channels, kLanes);
  for (std::size_t step = 0; near && step < steps; ++step) {
    near = PlanStep(&firsts[step * kLanes], channels, plan.bases[step],
                    &plan.patterns[step * kWindow]);
  }
  if (!near) return VectorRowKernels(SimdLevel::kAvx512).plan(axis, channels);
  PlanDigits(axis, plan);
  return plan;
}

struct Sums {
  __m512i place[kPlaces];
};

SHARDINE_VNNI inline void Clear(Sums& sums) {
  sums.place[0] = _mm512_set1_epi32(1 << (kWeightBits - 1));
  sums.place[1] = sums.place[2] = _mm512_setzero_si512();
}

// The values of the sums, rounded and not yet clamped.
SHARDINE_VNNI inline __m512i Total(const Sums& sums) {
  const __m512i high =
      _mm512_add_epi32(_mm512_slli_epi32(sums.place[2], 8), sums.place[1]);
  return _mm512_srai_epi32(
      _mm512_add_epi32(_mm512_slli_epi32(high, 8), sums.place[0]), kWeightBits);
}

template <std::size_t kRows>
SHARDINE_VNNI inline void SumStep(const RowPlan& plan, std::size_t step,
                                  const std::uint8_t* const* in, Sums* sums) {
  const __m512i pattern =
      _mm512_loadu_si512(plan.patterns.data() + step * kWindow);
  const std::int8_t* digits =
      plan.digits.data() + step * plan.groups * kPlaces * kWindow;
  std::size_t from = plan.bases[step];
  for (std::size_t r = 0; r < kRows; ++r) Clear(sums[r]);
  for (std::uint32_t group = 0; group < plan.groups; ++group) {
    const __m512i low = _mm512_loadu_si512(digits);
    const __m512i middle = _mm512_loadu_si512(digits + kWindow);
    const __m512i high = _mm512_loadu_si512(digits + 2 * kWindow);
    for (std::size_t r = 0; r < kRows; ++r) {
      const __m512i taps =
          _mm512_permutexvar_epi8(pattern, _mm512_loadu_si512(in[r] + from));
      __m512i* place = sums[r].place;
      place[0] = _mm512_dpbusd_epi32(place[0], taps, low);
      place[1] = _mm512_dpbusd_epi32(place[1], taps, middle);
      place[2] = _mm512_dpbusd_epi32(place[2], taps, high);
    }
    digits += kPlaces * kWindow;
    from += plan.group_bytes;
  }
}

template <std::size_t kRows>
SHARDINE_VNNI void Resample(const RowPlan& plan, const std::uint8_t* const* in,
                            std::uint8_t* const* out) {
  Sums sums[kRows];
  std::size_t value = 0;
  for (std::size_t step = 0; value < plan.values; ++step, value += kLanes) {
    SumStep<kRows>(plan, step, in, sums);
    const auto left = static_cast<std::uint32_t>(
        std::min<std::size_t>(kLanes, plan.values - value));
    const auto there = static_cast<__mmask16>((1u << left) - 1);
    for (std::size_t r = 0; r < kRows; ++r) {
      const __m512i clamped =
          _mm512_max_epi32(Total(sums[r]), _mm512_setzero_si512());
      _mm_mask_storeu_epi8(out[r] + value, there,
                           _mm512_cvtusepi32_epi8(clamped));
    }
  }
}

void ResampleRows(const RowPlan& plan, const std::uint8_t* const* in,
                  std::uint8_t* const* out, std::size_t count) {
  if (plan.digits.empty()) {
    VectorRowKernels(SimdLevel::kAvx512).resample(plan, in, out, count);
    return;
  }
  // Rows that are made together fetch the plan's entries once.
  static_assert(kRowBatch == 4);
  switch (count) {
    case 4:
      return Resample<4>(plan, in, out);
    case 3:
      return Resample<3>(plan, in, out);
    case 2:
      return Resample<2>(plan, in, out);
    case 1:
      return Resample<1>(plan, in, out);
    default:
      return;
  }
}

// ---- Columns

ColumnPlan PlanColumns(const ResampleAxis& axis) {
  if (!HasDigits(axis)) return PlanColumnPairs(axis);
  ColumnPlan plan;
  plan.group_taps = kGroupTaps;
  plan.groups = (axis.taps + kGroupTaps - 1) / kGroupTaps;
  plan.weights.resize(std::size_t{axis.out} * plan.groups * kPlaces);
  std::int32_t* weights = plan.weights.data();
  for (std::uint32_t row = 0; row < axis.out; ++row) {
    for (std::uint32_t first = 0; first < axis.taps; first += kGroupTaps) {
      for (const std::uint32_t word :
           DigitsOf(axis.weights_of(row) + first,
                    std::min(kGroupTaps, axis.taps - first))) {
        *weights++ = static_cast<std::int32_t>(word);
      }
    }
  }
  return plan;
}

// Bytes 4 q to 4 q + 3 of each block of 16 columns, of four rows: one column's
// in each lane.
struct Quarters {
  __m512i q[4];
};

SHARDINE_VNNI inline Quarters Interleave(const std::uint8_t* const* in,
                                         std::size_t column) {
  const __m512i a = _mm512_loadu_si512(in[0] + column);
  const __m512i b = _mm512_loadu_si512(in[1] + column);
  const __m512i c = _mm512_loadu_si512(in[2] + column);
  const __m512i d = _mm512_loadu_si512(in[3] + column);
  const __m512i ab_low = _mm512_unpacklo_epi8(a, b);
  const __m512i ab_high = _mm512_unpackhi_epi8(a, b);
  const __m512i cd_low = _mm512_unpacklo_epi8(c, d);
  const __m512i cd_high = _mm512_unpackhi_epi8(c, d);
  return {{_mm512_unpacklo_epi16(ab_low, cd_low),
           _mm512_unpackhi_epi16(ab_low, cd_low),
           _mm512_unpacklo_epi16(ab_high, cd_high),
           _mm512_unpackhi_epi16(ab_high, cd_high)}};
}

SHARDINE_VNNI inline __m512i CombineColumns(const ColumnPlan& plan,
                                            const std::int32_t* weights,
                                            const std::uint8_t* const* in,
                                            std::size_t column) {
  Sums sums[4];
  for (Sums& quarter : sums) Clear(quarter);
  for (std::uint32_t group = 0; group < plan.groups; ++group) {
    const Quarters quarters = Interleave(in + group * kGroupTaps, column);
    for (std::uint32_t place = 0; place < kPlaces; ++place) {
      const __m512i digits =
          _mm512_set1_epi32(weights[group * kPlaces + place]);
      for (std::size_t i = 0; i < 4; ++i) {
        sums[i].place[place] =
            _mm512_dpbusd_epi32(sums[i].place[place], quarters.q[i], digits);
      }
    }
  }
  // These clamp, and undo the interleaving.
  return _mm512_packus_epi16(
      _mm512_packs_epi32(Total(sums[0]), Total(sums[1])),
      _mm512_packs_epi32(Total(sums[2]), Total(sums[3])));
}

SHARDINE_VNNI void CombineDigits(const ColumnPlan& plan, std::uint32_t row,
                                 const std::uint8_t* const* in,
                                 std::uint8_t* out, std::size_t bytes) {
  const std::int32_t* weights =
      plan.weights.data() + std::size_t{row} * plan.groups * kPlaces;
  for (std::size_t column = 0; column < bytes; column += kWindow) {
    const __m512i made = CombineColumns(plan, weights, in, column);
    const std::size_t left = std::min<std::size_t>(kWindow, bytes - column);
    _mm512_mask_storeu_epi8(out + column, ~__mmask64{0} >> (kWindow - left),
                            made);
  }
}

void CombineRows(const ColumnPlan& plan, std::uint32_t row,
                 const std::uint8_t* const* in, std::uint8_t* out,
                 std::size_t bytes) {
  if (plan.group_taps == kGroupTaps) {
    return CombineDigits(plan, row, in, out, bytes);
  }
  VectorColumnKernels(SimdLevel::kAvx512).combine(plan, row, in, out, bytes);
}

}  // namespace

RowKernels VnniRowKernels() { return {&PlanRows, &ResampleRows}; }
ColumnKernels VnniColumnKernels() { return {&PlanColumns, &CombineRows}; }

}  // namespace shardine

#else

namespace shardine {

RowKernels VnniRowKernels() { return PortableRowKernels(); }
ColumnKernels VnniColumnKernels() { return PortableColumnKernels(); }

}  // namespace shardine

#endif
