// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/resample_rows.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cstring>

#include "pixels/resample_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

RowKernels Rows() { return PortableRowKernels(); }

#else

namespace hn = hwy::HWY_NAMESPACE;

// Shuffles stay within blocks of 16 bytes, so wider vectors would only need
// more windows.
using Lanes32 = hn::CappedTag<std::int32_t, 8>;
using Block32 = hn::CappedTag<std::int32_t, 4>;

constexpr std::uint8_t kNothing = 0x80;  // in a pattern: a zero byte
constexpr std::size_t kWindow = 16;
constexpr std::size_t kInWindow = kWindow / 4;  // values

template <class D>
using Bytes = hn::Repartition<std::uint8_t, D>;
template <class D>
using Words = hn::Repartition<std::int16_t, D>;

// ---- The plan

// Places the windows of a step, whose inputs begin at `firsts`, and writes its
// pattern; false if they lie too far apart.
bool PlanStep(const std::uint32_t* firsts, std::size_t step, RowPlan& plan) {
  std::uint8_t* pattern = plan.patterns.data() + step * plan.lanes * 4;
  for (std::size_t w = 0; w < plan.windows; ++w) {
    const std::uint32_t* const at = firsts + w * kInWindow;
    const auto [low, high] = std::minmax({at[0], at[1], at[2], at[3]});
    if (high - low + plan.channels >= kWindow) return false;
    plan.bases[step * plan.windows + w] = low;
    for (std::size_t i = 0; i < kInWindow; ++i) {
      const auto first = static_cast<std::uint8_t>(at[i] - low);
      *pattern++ = first;
      *pattern++ = kNothing;
      *pattern++ = static_cast<std::uint8_t>(first + plan.channels);
      *pattern++ = kNothing;
    }
  }
  return true;
}

void PutWeight(std::int32_t weight, std::int16_t* low, std::int16_t* high) {
  *low = static_cast<std::int16_t>(weight & ((1 << kLowBits) - 1));
  *high = static_cast<std::int16_t>(weight >> kLowBits);
}

// The weights of a step for each pair: all low parts, then all high ones.
void PlanNarrowWeights(const ResampleAxis& axis, std::size_t steps,
                       RowPlan& plan) {
  const std::size_t lanes = hn::Lanes(Lanes32());
  const std::size_t half = 2 * lanes;
  plan.weights.resize(steps * plan.groups * 2 * half);
  std::size_t value = 0;
  for (std::uint32_t pixel = 0; pixel < axis.out; ++pixel) {
    const std::int32_t* weights = axis.weights_of(pixel);
    for (std::uint32_t c = 0; c < plan.channels; ++c, ++value) {
      std::int16_t* low = plan.weights.data() +
                          value / lanes * plan.groups * 2 * half +
                          2 * (value % lanes);
      for (std::uint32_t k = 0; k < axis.taps; ++k) {
        std::int16_t* place = low + std::size_t{k / 2} * 2 * half + k % 2;
        PutWeight(weights[k], place, place + half);
      }
    }
  }
}

bool PlanNarrow(const ResampleAxis& axis, RowPlan& plan) {
  const Lanes32 d;
  plan.lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  plan.windows = static_cast<std::uint32_t>(hn::Lanes(d) / kInWindow);
  plan.groups = (axis.taps + 1) / 2;
  plan.group_bytes = 2 * plan.channels;
  const std::vector<std::uint32_t> firsts =
      FirstInputs(axis, plan.channels, plan.lanes);
  const std::size_t steps = firsts.size() / plan.lanes;
  plan.bases.resize(steps * plan.windows);
  plan.patterns.resize(firsts.size() * 4);
  for (std::size_t step = 0; step < steps; ++step) {
    if (!PlanStep(&firsts[step * plan.lanes], step, plan)) return false;
  }
  PlanNarrowWeights(axis, steps, plan);
  return true;
}

// RGB: a shuffle fetches two taps of three channels; gray: eight taps.
void PlanWide(const ResampleAxis& axis, RowPlan& plan) {
  plan.wide = true;
  plan.lanes = 4;
  plan.windows = 1;
  plan.bases.clear();
  const bool gray = plan.channels == 1;
  const std::uint32_t taps = gray ? 8 : 2;
  plan.group_bytes = gray ? 8 : 6;
  plan.groups = (axis.taps + taps - 1) / taps;
  plan.patterns.assign(16, kNothing);
  for (std::uint8_t i = 0; i < (gray ? 8 : 6); ++i) {
    plan.patterns[2 * i] =
        gray ? i : static_cast<std::uint8_t>(i / 2 + 3 * (i % 2));
  }
  plan.weights.assign(std::size_t{axis.out} * plan.groups * 16, 0);
  for (std::uint32_t pixel = 0; pixel < axis.out; ++pixel) {
    plan.bases.push_back(axis.windows[pixel].first * plan.channels);
    for (std::uint32_t k = 0; k < axis.windows[pixel].count; ++k) {
      std::int16_t* low = plan.weights.data() +
                          (std::size_t{pixel} * plan.groups + k / taps) * 16 +
                          k % taps;
      for (int lane = 0; lane < (gray ? 1 : 3); ++lane) {
        PutWeight(axis.weights_of(pixel)[k], low + 2 * lane,
                  low + 2 * lane + 8);
      }
    }
  }
}

RowPlan PlanRows(const ResampleAxis& axis, std::uint32_t channels) {
  RowPlan plan;
  plan.values = axis.out * channels;
  plan.channels = channels;
  if (PlanNarrow(axis, plan)) return plan;
  plan = {.values = axis.out * channels, .channels = channels};
  PlanWide(axis, plan);
  return plan;
}

// ---- The rows

// Sums of one row's vector of values.
template <class D>
struct Sums {
  hn::Vec<D> low;
  hn::Vec<D> high;
  hn::Vec<D> low2;  // of targets that add halves, not neighbours
  hn::Vec<D> high2;
};

template <class D>
HWY_INLINE void Clear(D d, Sums<D>& sums) {
  sums.low = sums.high = sums.low2 = sums.high2 = hn::Zero(d);
}

template <class D>
HWY_INLINE hn::Vec<Words<D>> Fetch(D d, const std::uint8_t* row,
                                   const std::uint32_t* bases,
                                   hn::Vec<Bytes<D>> pattern) {
  const Bytes<D> d8;
  hn::Vec<Bytes<D>> window;
  if constexpr (hn::MaxLanes(D()) == 8) {
    const hn::Half<Bytes<D>> half;
    window = hn::Combine(d8, hn::LoadU(half, row + bases[1]),
                         hn::LoadU(half, row + bases[0]));
  } else {
    window = hn::LoadU(d8, row + bases[0]);
  }
  return hn::BitCast(Words<D>(), hn::TableLookupBytesOr0(window, pattern));
}

template <class D>
HWY_INLINE void Accumulate(D d, hn::Vec<Words<D>> taps, hn::Vec<Words<D>> low,
                           hn::Vec<Words<D>> high, Sums<D>& sums) {
  sums.low = hn::ReorderWidenMulAccumulate(d, taps, low, sums.low, sums.low2);
  sums.high =
      hn::ReorderWidenMulAccumulate(d, taps, high, sums.high, sums.high2);
}

// The sum over the low and the high parts, of fixed point.
template <class D>
HWY_INLINE hn::Vec<D> Total(D, const Sums<D>& sums) {
  return hn::Add(hn::ShiftLeft<kLowBits>(
                     hn::RearrangeToOddPlusEven(sums.high, sums.high2)),
                 hn::RearrangeToOddPlusEven(sums.low, sums.low2));
}

template <class D>
HWY_INLINE hn::Vec<D> Round(D d, hn::Vec<D> total) {
  return hn::ShiftRight<kWeightBits>(
      hn::Add(total, hn::Set(d, 1 << (kWeightBits - 1))));
}

template <std::size_t kRows, class D>
HWY_INLINE void SumStep(D d, const RowPlan& plan, std::size_t step,
                        const std::uint8_t* const* in, Sums<D>* sums) {
  const Bytes<D> d8;
  const Words<D> d16;
  const std::size_t half = hn::Lanes(d16);
  const auto pattern = hn::LoadU(
      d8, plan.patterns.data() + (plan.wide ? 0 : step * 4 * hn::Lanes(d)));
  const std::uint32_t* bases = plan.bases.data() + step * plan.windows;
  const std::int16_t* weights =
      plan.weights.data() + step * plan.groups * 2 * half;
  for (std::size_t r = 0; r < kRows; ++r) Clear(d, sums[r]);
  std::size_t offset = 0;
  for (std::uint32_t pair = 0; pair < plan.groups; ++pair) {
    const auto low = hn::LoadU(d16, weights);
    const auto high = hn::LoadU(d16, weights + half);
    for (std::size_t r = 0; r < kRows; ++r) {
      Accumulate(d, Fetch(d, in[r] + offset, bases, pattern), low, high,
                 sums[r]);
    }
    weights += 2 * half;
    offset += plan.group_bytes;
  }
}

template <std::size_t kRows>
void Narrow(const RowPlan& plan, const std::uint8_t* const* in,
            std::uint8_t* const* out) {
  const Lanes32 d;
  const hn::Rebind<std::uint8_t, Lanes32> narrow;
  const std::size_t lanes = hn::Lanes(d);
  Sums<Lanes32> sums[kRows];
  std::size_t value = 0;
  for (std::size_t step = 0; value < plan.values; ++step, value += lanes) {
    SumStep<kRows>(d, plan, step, in, sums);
    const bool whole = value + lanes <= plan.values;
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto bytes = hn::DemoteTo(narrow, Round(d, Total(d, sums[r])));
      if (HWY_LIKELY(whole)) {
        hn::StoreU(bytes, narrow, out[r] + value);
      } else {
        std::uint8_t last[16];
        hn::StoreU(bytes, narrow, last);
        std::memcpy(out[r] + value, last, plan.values - value);
      }
    }
  }
}

template <std::size_t kRows>
void Wide(const RowPlan& plan, const std::uint8_t* const* in,
          std::uint8_t* const* out) {
  const Block32 d;
  const hn::Rebind<std::uint8_t, Block32> narrow;
  Sums<Block32> sums[kRows];
  std::size_t value = 0;
  for (std::size_t step = 0; value < plan.values; ++step) {
    SumStep<kRows>(d, plan, step, in, sums);
    for (std::size_t r = 0; r < kRows; ++r) {
      auto total = Total(d, sums[r]);
      if (plan.channels == 1) total = hn::SumOfLanes(d, total);
      std::uint8_t pixel[4];
      hn::StoreU(hn::DemoteTo(narrow, Round(d, total)), narrow, pixel);
      std::memcpy(out[r] + value, pixel, plan.channels);
    }
    value += plan.channels;
  }
}

template <std::size_t kRows>
void Resample(const RowPlan& plan, const std::uint8_t* const* in,
              std::uint8_t* const* out) {
  if (plan.wide) {
    Wide<kRows>(plan, in, out);
  } else {
    Narrow<kRows>(plan, in, out);
  }
}

void ResampleRows(const RowPlan& plan, const std::uint8_t* const* in,
                  std::uint8_t* const* out, std::size_t count) {
  if (count == kRowBatch) return Resample<kRowBatch>(plan, in, out);
  for (std::size_t i = 0; i < count; ++i) Resample<1>(plan, in + i, out + i);
}

RowKernels Rows() { return {&PlanRows, &ResampleRows}; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

RowKernels VectorRowKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Rows);
}

}  // namespace shardine
#endif
