#include "report/shown_choice.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace shardine::shown_choice_test {
namespace {

std::size_t Sum(const std::vector<std::size_t>& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::size_t{0});
}

TEST_CASE("EqualShares gives small groups all and the others the same",
          "[report]") {
  const std::vector<std::uint64_t> sizes = {1, 400, 5000, 0};
  CHECK(EqualShares(sizes, 1000, 0) ==
        std::vector<std::size_t>{1, 400, 599, 0});
  CHECK(EqualShares(sizes, 0, 0) == std::vector<std::size_t>(4));
  CHECK(EqualShares(sizes, 1'000'000, 0) ==
        std::vector<std::size_t>{1, 400, 5000, 0});
  CHECK(EqualShares({}, 7, 0).empty());
}

TEST_CASE("EqualShares of more groups than places is a matter of the seed",
          "[report]") {
  std::vector<std::uint64_t> sizes(21'841, 3);
  sizes[7] = 0;
  const auto shares = EqualShares(sizes, 1000, 1);
  CHECK(Sum(shares) == 1000);
  CHECK(*std::ranges::max_element(shares) == 1);
  CHECK(shares[7] == 0);
  CHECK(shares == EqualShares(sizes, 1000, 1));
  CHECK(shares != EqualShares(sizes, 1000, 2));
}

using Places = std::set<std::pair<std::size_t, std::uint64_t>>;

Places ChosenOf(std::uint64_t seed, std::size_t share, bool backwards) {
  ShownChoice choice(seed, {share, 2});
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t record = backwards ? 499 - i : i;
    choice.Offer({.shard = record % 3, .record = record, .row = 0}, "key");
  }
  choice.Offer({.shard = 9, .record = 0, .row = 1}, "other");
  Places places;
  for (const ChosenSample& sample : choice.Take()) {
    places.emplace(sample.shard, sample.record);
  }
  return places;
}

TEST_CASE("ShownChoice depends on the seed and not on the order of samples",
          "[report]") {
  const Places places = ChosenOf(3, 20, false);
  CHECK(places.size() == 21);
  CHECK(places.contains({9, 0}));
  CHECK(places == ChosenOf(3, 20, true));
  CHECK(places != ChosenOf(4, 20, false));
  CHECK(ChosenOf(3, 0, false).size() == 1);
  CHECK(ChosenOf(3, 1000, false).size() == 501);
  // A larger share has the samples of a smaller one.
  CHECK(std::ranges::includes(ChosenOf(3, 30, false), places));
}

}  // namespace
}  // namespace shardine::shown_choice_test
