#include "load/whole_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/wide_integer.h"
#include "shardine/label.h"

namespace shardine {

Status BadSampling(const std::string& why) {
  return Status(Code::kInvalidArgument, "sampling: " + why);
}

Result<std::vector<std::uint64_t>> WholeWeights(
    std::span<const double> weights) {
  double most = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight = weights[i];
    if (!std::isfinite(weight) || weight < 0) {
      const std::string shown =
          std::isnan(weight) ? "nan" : Label::FromReal(weight).ToString();
      return BadSampling("weight " + std::to_string(i) + " is " + shown +
                         ", and weights are 0 or more, and finite");
    }
    most = std::max(most, weight);
  }
  if (most == 0) return BadSampling("no weight is above 0");
  // The largest weight keeps so many bits that as many weights have a sum below
  // 2^62. Scaled by a power of two, no weight loses any of its own.
  int exponent = 0;
  std::frexp(most, &exponent);
  const int scale =
      61 - static_cast<int>(std::bit_width(weights.size())) - exponent;
  std::vector<std::uint64_t> whole;
  whole.reserve(weights.size());
  for (const double weight : weights) {
    const auto rounded =
        static_cast<std::uint64_t>(std::llround(std::ldexp(weight, scale)));
    whole.push_back(weight > 0 ? std::max<std::uint64_t>(rounded, 1) : 0);
  }
  return whole;
}

std::vector<std::uint64_t> LargestRemainders(
    std::span<const std::uint64_t> weights, std::uint64_t samples) {
  const std::uint64_t sum =
      std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> remainders;
  std::uint64_t left = samples;
  for (const std::uint64_t weight : weights) {
    const Wide share = Wide{samples} * weight;
    counts.push_back(static_cast<std::uint64_t>(share / sum));
    remainders.push_back(static_cast<std::uint64_t>(share % sum));
    left -= counts.back();
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return remainders[i]; });
  // Fewer than have a remainder: they add up to `left` times the sum.
  for (std::size_t i = 0; i < left; ++i) ++counts[order[i]];
  return counts;
}

}  // namespace shardine
