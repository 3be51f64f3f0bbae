#include "base/permutation.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "support/sanitized.h"

namespace shardine::permutation_test {
namespace {

using Values = std::vector<std::uint64_t>;

Values FirstValues(const Permutation& permutation, std::uint64_t count) {
  Values values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(permutation(i));
  return values;
}

bool IsBijection(const Permutation& permutation) {
  std::vector<bool> seen(permutation.size());
  for (std::uint64_t i = 0; i < permutation.size(); ++i) {
    const std::uint64_t value = permutation(i);
    if (value >= permutation.size() || seen[value]) return false;
    seen[value] = true;
  }
  return true;
}

TEST_CASE("Permutation is a bijection for every n up to 2000",
          "[permutation]") {
  for (std::uint64_t n = 0; n <= 2000; ++n) {
    const Permutation permutation(n, n * n, "pack", n % 3);
    REQUIRE(permutation.size() == n);
    REQUIRE(IsBijection(permutation));
  }
}

TEST_CASE("Permutation is a bijection for all of ImageNet-21k",
          "[permutation][slow]") {
  // Sanitizers look for faults that do not depend on the number.
  const std::uint64_t n = kSanitized ? 197'087 : 14'197'087;
  CHECK(IsBijection(Permutation(n, 0, "pack")));
}

TEST_CASE("Permutation stays in range and collides nowhere for huge n",
          "[permutation]") {
  for (const std::uint64_t n :
       {(std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32,
        (std::uint64_t{1} << 32) + 1, std::uint64_t{1} << 63,
        ~std::uint64_t{0}}) {
    const Permutation permutation(n, 1, "pack");
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t first = permutation(i);
      const std::uint64_t last = permutation(n - 1 - i);
      REQUIRE((first < n && last < n));
      seen.insert(first);
      seen.insert(last);
    }
    CHECK(seen.size() == 2000);
    CHECK(*seen.rbegin() > n / 2);
  }
}

// Second version of the shuffle; the first has other values for 0 and 1 at
// most.
constexpr auto kBoth = ShuffleVersion::kBothParities;

bool IsEven(const Permutation& permutation) {
  bool even = true;
  std::vector<bool> seen(permutation.size());
  for (std::uint64_t i = 0; i < permutation.size(); ++i) {
    // A cycle of n elements is n - 1 swaps.
    std::uint64_t length = 0;
    for (std::uint64_t at = i; !seen[at]; at = permutation(at), ++length) {
      seen[at] = true;
    }
    if (length > 0 && length % 2 == 0) even = !even;
  }
  return even;
}

std::uint64_t EvenOrders(std::uint64_t n, std::uint64_t seeds,
                         ShuffleVersion version) {
  std::uint64_t even = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    even += IsEven(Permutation(n, seed, "epoch", seed % 7, version)) ? 1 : 0;
  }
  return even;
}

// semantics review 8. A binomial distribution of 2000 draws has a deviation of
// 22.4: one of 26 sizes is beyond five of them once in 67,000 runs of new
// seeds.
TEST_CASE("Permutation has both parities at every size", "[permutation]") {
  for (const std::uint64_t n :
       {2U,   3U,   4U,   5U,   6U,   7U,   8U,    9U,   10U,
        15U,  16U,  17U,  31U,  32U,  33U,  63U,   64U,  65U,
        127U, 128U, 255U, 256U, 511U, 512U, 1000U, 1024U}) {
    if (kSanitized && n > 65) continue;
    CAPTURE(n);
    const auto even = static_cast<double>(EvenOrders(n, 2000, kBoth));
    CHECK(std::abs(even - 1000) < 5 * 22.4);
  }
  // The test can see such an order.
  CHECK(EvenOrders(64, 2000, ShuffleVersion::kNetwork) == 2000);
}

TEST_CASE("Permutation of the second version is the first, or swaps two values",
          "[permutation]") {
  std::uint64_t swapped = 0;
  for (std::uint64_t n = 0; n <= 300; ++n) {
    const Permutation first(n, n, "epoch", 3);
    Permutation second(n, n, "epoch", 3, kBoth);
    Values values = FirstValues(first, n);
    const Values others = FirstValues(second, n);
    if (values != others) {
      ++swapped;
      for (std::uint64_t& value : values) value = value < 2 ? value ^ 1 : value;
    }
    REQUIRE(others == values);
    second.Tabulate();
    REQUIRE(FirstValues(second, n) == others);
  }
  CHECK(swapped > 100);
  CHECK(swapped < 200);
}

// Each pair of different values is (first, second) and (second last, last) with
// the same chance: chi-square of n (n - 1) cells. One run of eight is beyond
// six deviations once in 10^7 runs of new seeds or less.
TEST_CASE("Permutation brings every pair of values to two places equally often",
          "[permutation]") {
  for (const std::uint64_t n : {4U, 16U, 33U, 64U}) {
    if (kSanitized && n > 16) continue;
    constexpr std::uint64_t kSeeds = 40'000;
    for (const std::uint64_t place : {std::uint64_t{0}, n - 2}) {
      std::vector<std::uint32_t> counts(n * n);
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Permutation order(n, seed, "epoch", 0, kBoth);
        ++counts[order(place) * n + order(place + 1)];
      }
      const double expected =
          static_cast<double>(kSeeds) / static_cast<double>(n * (n - 1));
      double sum = 0;
      for (std::uint64_t i = 0; i < n * n; ++i) {
        if (i / n == i % n) continue;
        const double off = counts[i] - expected;
        sum += off * off / expected;
      }
      const auto freedom = static_cast<double>(n * (n - 1) - 1);
      CAPTURE(n, place);
      CHECK(std::abs(sum - freedom) < 6 * std::sqrt(2 * freedom));
    }
  }
}

TEST_CASE("Permutation keeps its outputs for ever", "[permutation]") {
  struct Pin {
    std::uint64_t n;
    std::uint64_t seed;
    const char* purpose;
    std::uint64_t stream;
    std::uint64_t from;
    Values values;
  };
  const Pin pins[] = {
      {1U, 0U, "pack", 0U, 0U, {0U}},
      {2U, 0U, "pack", 0U, 0U, {1U, 0U}},
      {2U, 1U, "pack", 0U, 0U, {1U, 0U}},
      {5U, 0U, "pack", 0U, 0U, {4U, 2U, 3U, 0U, 1U}},
      {5U, 42U, "split", 0U, 0U, {1U, 0U, 4U, 2U, 3U}},
      {8U, 42U, "hold-out", 3U, 0U, {7U, 1U, 3U, 2U, 0U, 5U}},
      {64U, 0U, "pack", 0U, 0U, {18U, 30U, 60U, 52U, 36U, 37U}},
      {64U, 0U, "pack", 1U, 0U, {51U, 33U, 62U, 8U, 34U, 35U}},
      {256U, 1U, "split", 0U, 0U, {97U, 80U, 128U, 100U, 134U, 41U}},
      {257U, 1U, "split", 0U, 0U, {47U, 119U, 3U, 214U, 23U, 36U}},
      {1000U, 0U, "pack", 0U, 0U, {391U, 504U, 81U, 872U, 654U, 752U}},
      {1000U,
       18446744073709551615U,
       "hold-out",
       999U,
       0U,
       {565U, 296U, 940U, 40U, 477U, 208U}},
      {14197087U,
       0U,
       "pack",
       0U,
       0U,
       {13984940U, 13682622U, 4673661U, 5527227U, 348846U, 4807898U}},
      {14197087U,
       42U,
       "epoch",
       7U,
       14197080U,
       {11128144U, 8113297U, 2667598U, 14175212U, 6255775U, 9785260U}},
      {4294967296U,
       3U,
       "pack",
       0U,
       0U,
       {334219372U, 876224586U, 154579874U, 1169821032U, 2534664202U,
        1392554057U}},
      {18446744073709551615U,
       3U,
       "pack",
       0U,
       0U,
       {1895583450821103501U, 5063320106049913838U, 15531862411162328648U,
        8568107596142824155U, 8167518191166345555U, 11119058947099855632U}}};
  for (const Pin& pin : pins) {
    const Permutation permutation(pin.n, pin.seed, pin.purpose, pin.stream);
    Values values;
    for (std::uint64_t i = 0; i < pin.values.size(); ++i) {
      values.push_back(permutation(pin.from + i));
    }
    INFO(pin.n << " " << pin.purpose << " " << pin.stream);
    CHECK(values == pin.values);
  }
}

// Sum over all (position, value) of (count - expected)^2 / expected, for
// `seeds` permutations. For ideal ones it has mean n (n - 1) and variance 2
// n^2: a sum of random permutation matrices has (n - 1)^2 degrees of freedom,
// each of variance n / (n - 1) of a cell's. Returns the distance from the mean
// in standard deviations.
double Unevenness(std::uint64_t n, std::uint64_t seeds) {
  std::vector<std::uint32_t> counts(n * n);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Permutation permutation(n, seed, "pack");
    for (std::uint64_t i = 0; i < n; ++i) ++counts[i * n + permutation(i)];
  }
  const double size = static_cast<double>(n);
  const double expected = static_cast<double>(seeds) / size;
  double sum = 0;
  for (const std::uint32_t count : counts) {
    sum += (count - expected) * (count - expected) / expected;
  }
  return (sum - size * (size - 1)) / (size * std::sqrt(2.0));
}

TEST_CASE("Permutation gives the same values from a table of its rounds",
          "[permutation]") {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    const Permutation permutation(n, n, "pack", n % 3);
    Permutation tabulated = permutation;
    tabulated.Tabulate();
    CAPTURE(n);
    REQUIRE(FirstValues(tabulated, n) == FirstValues(permutation, n));
    tabulated.Tabulate();
    REQUIRE(FirstValues(tabulated, n) == FirstValues(permutation, n));
  }
}

TEST_CASE("Permutation brings every value to every position equally often",
          "[permutation]") {
  CHECK(std::abs(Unevenness(5, 20'000)) < 4);
  CHECK(std::abs(Unevenness(64, 4'000)) < 4);
  if (!kSanitized) CHECK(std::abs(Unevenness(1000, 3'000)) < 4);
}

// Beyond five deviations of chi-square is one of eleven once in 10^5 runs of
// new seeds or less.
TEST_CASE("Permutation gives every order of few elements equally often",
          "[permutation]") {
  for (const auto version : {ShuffleVersion::kNetwork, kBoth}) {
    double orders = 1;
    for (std::uint64_t n = 2; n <= 7; ++n) {
      orders *= static_cast<double>(n);
      if (n > (kSanitized ? 4U : 5U) && (version != kBoth || kSanitized)) {
        continue;
      }
      const auto seeds = static_cast<std::uint64_t>(orders) * 20 + 20'000;
      std::map<Values, std::uint32_t> counts;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Permutation order(n, seed, "pack", 0, version);
        order.Tabulate();
        ++counts[FirstValues(order, n)];
      }
      REQUIRE(static_cast<double>(counts.size()) == orders);
      const double expected = static_cast<double>(seeds) / orders;
      double sum = 0;
      for (const auto& [order, count] : counts) {
        sum += (count - expected) * (count - expected) / expected;
      }
      const double freedom = orders - 1;
      INFO(n);
      CHECK(sum < freedom + 5 * std::sqrt(2 * freedom));
    }
  }
}

// Positions at which both have the same value: about 1 if they are unrelated.
int Agreements(const Permutation& a, const Permutation& b) {
  int agreements = 0;
  for (std::uint64_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a(i) == b(i)) ++agreements;
  }
  return agreements;
}

TEST_CASE(
    "Permutations of other seeds, purposes, streams and sizes are "
    "unrelated",
    "[permutation]") {
  const Permutation base(1000, 7, "pack", 0);
  CHECK(Agreements(base, Permutation(1000, 7, "pack")) == 1000);
  CHECK(Agreements(base, Permutation(1000, 8, "pack")) < 8);
  CHECK(Agreements(
            base, Permutation(1000, 7 + (std::uint64_t{1} << 32), "pack")) < 8);
  CHECK(Agreements(base, Permutation(1000, 7, "split")) < 8);
  CHECK(Agreements(base, Permutation(1000, 7, "")) < 8);
  CHECK(Agreements(base, Permutation(1000, 7, "pack", 1)) < 8);
  CHECK(Agreements(base, Permutation(1000, 7, "pack", std::uint64_t{1} << 32)) <
        8);
  CHECK(Agreements(base, Permutation(1001, 7, "pack")) < 8);
  CHECK(Agreements(base, Permutation(999, 7, "pack")) < 8);
}

TEST_CASE("Permutation separates neighbours", "[permutation]") {
  const Permutation permutation(100'000, 0, "pack");
  int close = 0;
  for (std::uint64_t i = 0; i + 1 < 100'000; ++i) {
    const auto a = static_cast<std::int64_t>(permutation(i));
    const auto b = static_cast<std::int64_t>(permutation(i + 1));
    if (std::abs(a - b) <= 10) ++close;
  }
  // Expected 20, standard deviation 4.5.
  CHECK(close < 45);
}

}  // namespace
}  // namespace shardine::permutation_test
