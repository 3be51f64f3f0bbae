#include <algorithm>

#include "pixels/resample_kernels.h"

namespace shardine {
namespace {

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

std::uint8_t ToByte(std::int32_t total) {
  return static_cast<std::uint8_t>(
      std::clamp((total + kHalf) >> kWeightBits, 0, 255));
}

// Weights come in two parts since the vector kernels multiply 16 bits with 16:
// this one reads the same plans of columns.
std::int32_t Whole(std::int16_t low, std::int16_t high) {
  return high * (1 << kLowBits) + low;
}

// One pixel per step, of one lane; a group is one tap.
RowPlan PlanRows(const ResampleAxis& axis, std::uint32_t channels) {
  RowPlan plan;
  plan.values = axis.out * channels;
  plan.channels = channels;
  plan.groups = axis.taps;
  plan.group_bytes = channels;
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
    // Unsigned, since sums on the way wrap where weights are negative. The
    // vector kernels wrap as well, and so the bytes are the same.
    std::uint32_t total[3] = {};
    for (std::uint32_t k = 0; k < plan.groups; ++k) {
      const auto weight =
          static_cast<std::uint32_t>(Whole(weights[2 * k], weights[2 * k + 1]));
      const std::uint8_t* pixel = in + base + std::size_t{k} * plan.group_bytes;
      for (std::uint32_t c = 0; c < plan.channels; ++c) {
        total[c] += weight * pixel[c];
      }
    }
    for (std::uint32_t c = 0; c < plan.channels; ++c) {
      *out++ = ToByte(static_cast<std::int32_t>(total[c]));
    }
    weights += std::size_t{plan.groups} * 2;
  }
}

void ResampleRows(const RowPlan& plan, const std::uint8_t* const* in,
                  std::uint8_t* const* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ResampleRow(plan, in[i], out[i]);
}

void CombineRows(const ColumnPlan& plan, std::uint32_t row,
                 const std::uint8_t* const* in, std::uint8_t* out,
                 std::size_t bytes) {
  const std::int32_t* weights =
      plan.weights.data() + std::size_t{row} * plan.groups * 2;
  const auto half = [](std::int32_t pair, std::uint32_t which) {
    return static_cast<std::int16_t>(pair >> (16 * which));
  };
  for (std::size_t column = 0; column < bytes; ++column) {
    std::uint32_t total = 0;
    for (std::uint32_t k = 0; k < plan.taps(); ++k) {
      const std::int32_t weight = Whole(half(weights[k / 2 * 2], k % 2),
                                        half(weights[k / 2 * 2 + 1], k % 2));
      total += static_cast<std::uint32_t>(weight) * in[k][column];
    }
    out[column] = ToByte(static_cast<std::int32_t>(total));
  }
}

}  // namespace

std::vector<std::uint32_t> FirstInputs(const ResampleAxis& axis,
                                       std::uint32_t channels,
                                       std::uint32_t lanes) {
  const std::size_t values = std::size_t{axis.out} * channels;
  std::vector<std::uint32_t> firsts((values + lanes - 1) / lanes * lanes);
  std::uint32_t* first = firsts.data();
  for (const ResampleAxis::Window& window : axis.windows) {
    for (std::uint32_t c = 0; c < channels; ++c) {
      *first++ = window.first * channels + c;
    }
  }
  // The last step of a row may have lanes to spare. They read where the last
  // value reads, so that nothing beyond the row is touched.
  std::fill(firsts.begin() + static_cast<std::ptrdiff_t>(values), firsts.end(),
            firsts[values - 1]);
  return firsts;
}

RowKernels PortableRowKernels() { return {&PlanRows, &ResampleRows}; }
ColumnKernels PortableColumnKernels() {
  return {&PlanColumnPairs, &CombineRows};
}

ColumnPlan PlanColumnPairs(const ResampleAxis& axis) {
  constexpr std::int32_t kLowMask = (1 << kLowBits) - 1;
  ColumnPlan plan;
  plan.groups = (axis.taps + 1) / 2;
  plan.group_taps = 2;
  const auto pack = [](std::int32_t first, std::int32_t second) {
    return static_cast<std::int32_t>(
        (static_cast<std::uint32_t>(first) & 0xFFFF) |
        static_cast<std::uint32_t>(second) << 16);
  };
  for (std::uint32_t row = 0; row < axis.out; ++row) {
    const std::int32_t* weights = axis.weights_of(row);
    for (std::uint32_t k = 0; k < axis.taps; k += 2) {
      const std::int32_t first = weights[k];
      const std::int32_t second = k + 1 < axis.taps ? weights[k + 1] : 0;
      plan.weights.push_back(pack(first & kLowMask, second & kLowMask));
      plan.weights.push_back(pack(first >> kLowBits, second >> kLowBits));
    }
  }
  return plan;
}

}  // namespace shardine
