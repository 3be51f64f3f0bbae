#include "load/whole_weights.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/wide_integer.h"
#include "load/sample_draws.h"

namespace shardine::whole_weights_test {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

std::vector<std::uint64_t> Whole(const std::vector<double>& weights) {
  auto whole = WholeWeights(weights);
  REQUIRE(whole.status().ToString() == "OK");
  return *std::move(whole);
}

TEST_CASE("Whole weights have the ratios of those given, exactly",
          "[whole_weights]") {
  const auto whole = Whole({1, 2, 0, 3.5});
  CHECK(whole[1] == 2 * whole[0]);
  CHECK(whole[2] == 0);
  CHECK(2 * whole[3] == 7 * whole[0]);
  CHECK(Whole({0.1, 0.3}) == Whole({0.4, 1.2}));
}

TEST_CASE("Sums of whole weights stay below 2^62, whatever is given",
          "[whole_weights]") {
  for (const std::vector<double>& weights :
       {std::vector<double>{kMost, kMost, kMost},
        std::vector<double>{kLeast, kLeast}, std::vector<double>{kMost, kLeast},
        std::vector<double>(100'000, kMost), std::vector<double>{1},
        std::vector<double>(65'536, 1.0 / 3)}) {
    Wide sum = 0;
    for (const std::uint64_t weight : Whole(weights)) {
      CHECK(weight > 0);
      sum += weight;
    }
    CHECK(sum < Wide{1} << 62);
    CHECK(sum > Wide{1} << 55);
  }
}

TEST_CASE("Weights that are none are refused by their place",
          "[whole_weights]") {
  const auto fault = [](const std::vector<double>& weights) {
    const Status status = WholeWeights(weights).status();
    CHECK(status.code() == Code::kInvalidArgument);
    return std::string(status.message());
  };
  CHECK(fault({1, -0.5}) ==
        "sampling: weight 1 is -0.5, and weights are 0 or more, and finite");
  CHECK(fault({std::nan("")}).find("weight 0 is nan") != std::string::npos);
  CHECK(fault({1, 2, HUGE_VAL}).find("weight 2 is inf") != std::string::npos);
  CHECK(fault({-HUGE_VAL}).find("weight 0 is -inf") != std::string::npos);
  CHECK(fault({0, -0.0, 0}) == "sampling: no weight is above 0");
  CHECK(fault({}) == "sampling: no weight is above 0");
}

TEST_CASE("Largest remainders are shares rounded, with their sum",
          "[whole_weights]") {
  using Counts = std::vector<std::uint64_t>;
  CHECK(LargestRemainders(Counts{1, 1, 1}, 10) == Counts{4, 3, 3});
  CHECK(LargestRemainders(Counts{50, 30, 20}, 7) == Counts{4, 2, 1});
  CHECK(LargestRemainders(Counts{0, 1, 0}, 5) == Counts{0, 5, 0});
  CHECK(LargestRemainders(Counts{1, 1000}, 3) == Counts{0, 3});
}

TEST_CASE("Each count is its share rounded down or up",
          "[whole_weights][property]") {
  for (std::uint64_t number = 0; number < 500; ++number) {
    const SampleDraws draws(7, number, 0);
    std::vector<std::uint64_t> weights;
    for (std::uint32_t i = 0; i < 1 + draws(0).Below(0, 12); ++i) {
      weights.push_back(draws(i).Bits() >> (3 + draws(i).Below(2, 61)));
    }
    weights.push_back(1);
    const std::uint64_t samples = draws(99).Bits() >> (2 + number % 61);
    Wide sum = 0;
    for (std::uint64_t& weight : weights) sum += weight /= weights.size();
    if (sum == 0) continue;
    const auto counts = LargestRemainders(weights, samples);
    REQUIRE(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) ==
            samples);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Wide share = Wide{samples} * weights[i];
      REQUIRE(counts[i] >= share / sum);
      REQUIRE(counts[i] <= (share + sum - 1) / sum);
    }
  }
}

}  // namespace
}  // namespace shardine::whole_weights_test
