#include "image/resample_portable.h"

#include <algorithm>

namespace shardine {
namespace {

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

std::uint8_t ToByte(std::int32_t total) {
  return static_cast<std::uint8_t>(
      std::clamp((total + kHalf) >> kWeightBits, 0, 255));
}

std::int32_t Whole(std::int16_t low, std::int16_t high) {
  return high * (1 << kLowBits) + low;
}

// One pixel per step, of one lane; a pair is one tap.
RowPlan PlanRows(const ResampleAxis& axis, std::uint32_t channels) {
  RowPlan plan;
  plan.values = axis.out * channels;
  plan.channels = channels;
  plan.pairs = axis.taps;
  plan.pair_bytes = channels;
  for (std::uint32_t pixel = 0; pixel < axis.out; ++pixel) {
    plan.bases.push_back(axis.windows[pixel].first * channels);
    for (std::uint32_t k = 0; k < axis.taps; ++k) {
      const std::int32_t weight = axis.weights_of(pixel)[k];
      constexpr std::int32_t kMask = (1 << kLowBits) - 1;
      plan.weights.push_back(static_cast<std::int16_t>(weight & kMask));
      plan.weights.push_back(static_cast<std::int16_t>(weight >> kLowBits));
    }
  }
  return plan;
}

void ResampleRow(const RowPlan& plan, const std::uint8_t* in,
                 std::uint8_t* out) {
  const std::int16_t* weights = plan.weights.data();
  for (const std::uint32_t base : plan.bases) {
    std::uint32_t total[3] = {};
    for (std::uint32_t k = 0; k < plan.pairs; ++k) {
      const auto weight =
          static_cast<std::uint32_t>(Whole(weights[2 * k], weights[2 * k + 1]));
      const std::uint8_t* pixel = in + base + std::size_t{k} * plan.pair_bytes;
      for (std::uint32_t c = 0; c < plan.channels; ++c) {
        total[c] += weight * pixel[c];
      }
    }
    for (std::uint32_t c = 0; c < plan.channels; ++c) {
      *out++ = ToByte(static_cast<std::int32_t>(total[c]));
    }
    weights += std::size_t{plan.pairs} * 2;
  }
}

void ResampleRows(const RowPlan& plan, const std::uint8_t* const* in,
                  std::uint8_t* const* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ResampleRow(plan, in[i], out[i]);
}

void CombineRows(const ColumnPlan& plan, std::uint32_t row,
                 const std::uint8_t* const* in, std::uint8_t* out,
                 std::size_t bytes) {
  const std::int32_t* low = plan.low.data() + std::size_t{row} * plan.pairs;
  const std::int32_t* high = plan.high.data() + std::size_t{row} * plan.pairs;
  const auto half = [](std::int32_t pair, std::uint32_t which) {
    return static_cast<std::int16_t>(pair >> (16 * which));
  };
  for (std::size_t column = 0; column < bytes; ++column) {
    std::uint32_t total = 0;
    for (std::uint32_t k = 0; k < 2 * plan.pairs; ++k) {
      const std::int32_t weight =
          Whole(half(low[k / 2], k % 2), half(high[k / 2], k % 2));
      total += static_cast<std::uint32_t>(weight) * in[k][column];
    }
    out[column] = ToByte(static_cast<std::int32_t>(total));
  }
}

}  // namespace

RowKernels PortableRowKernels() { return {&PlanRows, &ResampleRows}; }
CombineRowsFunction PortableCombineRows() { return &CombineRows; }

}  // namespace shardine
