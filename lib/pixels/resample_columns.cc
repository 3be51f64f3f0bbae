// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/resample_columns.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <cstring>

#include "pixels/resample_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

ColumnKernels Columns() { return PortableColumnKernels(); }

#else

namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::Repartition<std::int16_t, D8>;
using D32 = hn::Repartition<std::int32_t, D8>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

// Sums of a quarter of the columns.
struct Quarter {
  V32 low, high;
  V32 low2, high2;  // of targets that add halves, not neighbours
};

HWY_INLINE void Accumulate(V16 pairs, V16 low, V16 high, Quarter& sums) {
  const D32 d;
  sums.low = hn::ReorderWidenMulAccumulate(d, pairs, low, sums.low, sums.low2);
  sums.high =
      hn::ReorderWidenMulAccumulate(d, pairs, high, sums.high, sums.high2);
}

HWY_INLINE V32 Rounded(const Quarter& sums) {
  const D32 d;
  const V32 total = hn::Add(hn::ShiftLeft<kLowBits>(hn::RearrangeToOddPlusEven(
                                sums.high, sums.high2)),
                            hn::RearrangeToOddPlusEven(sums.low, sums.low2));
  return hn::ShiftRight<kWeightBits>(
      hn::Add(total, hn::Set(d, 1 << (kWeightBits - 1))));
}

// Packs values that lie, block by block, in four vectors of one lane each.
HWY_INLINE V8 Pack(V32 a, V32 b, V32 c, V32 d) {
  const D8 d8;
  const D16 d16;
  const auto clamp = [&](V32 first, V32 second) {
    // This saturates to 16 bits, so that the clamp to 0 and 255 sees the right
    // side even of sums that leave them.
    const V16 both = hn::ReorderDemote2To(d16, first, second);
    return hn::Min(hn::Max(both, hn::Zero(d16)), hn::Set(d16, 255));
  };
  // Bytes 0, 8, 1, 9, ... of each block of 16.
  const V8 mixed =
      hn::BitCast(d8, hn::Or(clamp(a, b), hn::ShiftLeft<8>(clamp(c, d))));
  alignas(16) static constexpr std::uint8_t kOrder[16] = {
      0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
  return hn::TableLookupBytes(mixed, hn::LoadDup128(d8, kOrder));
}

HWY_INLINE V8 CombineColumns(const ColumnPlan& plan, std::uint32_t row,
                             const std::uint8_t* const* in,
                             std::size_t column) {
  const D8 d8;
  const D16 d16;
  const D32 d32;
  const std::int32_t* weights =
      plan.weights.data() + std::size_t{row} * plan.groups * 2;
  Quarter sums[4];
  for (Quarter& quarter : sums) {
    quarter.low = quarter.high = quarter.low2 = quarter.high2 = hn::Zero(d32);
  }
  const V8 zero = hn::Zero(d8);
  for (std::uint32_t pair = 0; pair < plan.groups; ++pair) {
    const V8 first = hn::LoadU(d8, in[2 * pair] + column);
    const V8 second = hn::LoadU(d8, in[2 * pair + 1] + column);
    const V16 low_part = hn::BitCast(d16, hn::Set(d32, weights[2 * pair]));
    const V16 high_part = hn::BitCast(d16, hn::Set(d32, weights[2 * pair + 1]));
    const V8 lower = hn::InterleaveLower(d8, first, second);
    const V8 upper = hn::InterleaveUpper(d8, first, second);
    const V8 widened[4] = {hn::InterleaveLower(d8, lower, zero),
                           hn::InterleaveUpper(d8, lower, zero),
                           hn::InterleaveLower(d8, upper, zero),
                           hn::InterleaveUpper(d8, upper, zero)};
    for (std::size_t q = 0; q < 4; ++q) {
      Accumulate(hn::BitCast(d16, widened[q]), low_part, high_part, sums[q]);
    }
  }
  return Pack(Rounded(sums[0]), Rounded(sums[1]), Rounded(sums[2]),
              Rounded(sums[3]));
}

void CombineRows(const ColumnPlan& plan, std::uint32_t row,
                 const std::uint8_t* const* in, std::uint8_t* out,
                 std::size_t bytes) {
  const D8 d8;
  const std::size_t lanes = hn::Lanes(d8);
  std::size_t column = 0;
  for (; column + lanes <= bytes; column += lanes) {
    hn::StoreU(CombineColumns(plan, row, in, column), d8, out + column);
  }
  // The last columns are made as a whole vector from the padding of the rows,
  // and only those that exist are copied: `out` may end right after them.
  if (column == bytes) return;
  HWY_ALIGN std::uint8_t last[hn::MaxLanes(D8())];
  hn::Store(CombineColumns(plan, row, in, column), d8, last);
  std::memcpy(out + column, last, bytes - column);
}

ColumnKernels Columns() { return {&PlanColumnPairs, &CombineRows}; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

ColumnKernels VectorColumnKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Columns);
}

}  // namespace shardine
#endif
