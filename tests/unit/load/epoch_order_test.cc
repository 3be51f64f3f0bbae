#include "load/epoch_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace shardine::epoch_order_test {
namespace {

using Positions = std::vector<std::uint64_t>;

constexpr OrderOptions kShuffle{SampleOrder::kShuffle, 1024, 16};
constexpr OrderOptions kSequential{SampleOrder::kSequential, 1024, 16};

OrderOptions Blocks(std::uint64_t block, std::uint64_t window) {
  return {SampleOrder::kBlocks, block, window};
}

Positions All(const EpochOrder& order) {
  Positions positions;
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    positions.push_back(order(i));
  }
  return positions;
}

bool IsBijection(Positions positions) {
  std::sort(positions.begin(), positions.end());
  for (std::uint64_t i = 0; i < positions.size(); ++i) {
    if (positions[i] != i) return false;
  }
  return true;
}

TEST_CASE("EpochOrder is a bijection for every number of samples",
          "[epoch_order][one_thread]") {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    REQUIRE(IsBijection(All(EpochOrder(n, kShuffle, n, 1))));
    REQUIRE(IsBijection(All(EpochOrder(n, kSequential, n, 1))));
    if (n > 100 && n % 64 > 1) continue;
    for (const std::uint64_t block : {1u, 2u, 7u, 64u, 1024u}) {
      for (const std::uint64_t window : {1u, 2u, 5u, 1000u}) {
        INFO(n << " samples, blocks of " << block << ", windows of " << window);
        REQUIRE(IsBijection(All(EpochOrder(n, Blocks(block, window), 3, n))));
      }
    }
  }
}

// The positions of the dataset that stretches are made of, in the epoch's order
// and as blocks; empty if they do not follow each other.
bool HasItsStretches(const EpochOrder& order) {
  for (std::uint64_t at = 0; at < order.size();) {
    const EpochOrder::Stretch stretch = order.StretchAt(at);
    Positions of_blocks;
    for (const EpochOrder::Block& block : stretch.blocks) {
      for (std::uint64_t i = 0; i < block.samples; ++i) {
        of_blocks.push_back(block.first + i);
      }
    }
    Positions of_order;
    for (; at < stretch.end; ++at) of_order.push_back(order(at));
    std::ranges::sort(of_blocks);
    std::ranges::sort(of_order);
    if (of_order.empty() || of_blocks != of_order) return false;
  }
  return true;
}

TEST_CASE("The blocks of a stretch are the samples that it has",
          "[epoch_order][one_thread]") {
  for (std::uint64_t n = 1; n <= 200; ++n) {
    REQUIRE(HasItsStretches(EpochOrder(n, kSequential, n, 1)));
    for (const std::uint64_t block : {1u, 2u, 7u, 64u, 1024u}) {
      for (const std::uint64_t window : {1u, 2u, 5u, 1000u}) {
        INFO(n << " samples, blocks of " << block << ", windows of " << window);
        REQUIRE(HasItsStretches(EpochOrder(n, Blocks(block, window), 3, n)));
      }
    }
  }
  const EpochOrder shuffled(10, kShuffle, 1, 2);
  CHECK(shuffled.StretchAt(3).blocks.empty());
  // In the middle of a stretch: the whole of it, and the remainder of stored
  // ones.
  const EpochOrder blocks(100, Blocks(10, 3), 1, 2);
  CHECK(blocks.StretchAt(29).blocks == blocks.StretchAt(0).blocks);
  const EpochOrder stored(100, {SampleOrder::kSequential, 30, 1}, 1, 2);
  CHECK(stored.StretchAt(95).end == 100);
  CHECK(stored.StretchAt(95).blocks == std::vector<EpochOrder::Block>{{95, 5}});
}

TEST_CASE("EpochOrder is a bijection for many samples",
          "[epoch_order][one_thread]") {
  for (const std::uint64_t n : {16'384u, 16'385u, 100'000u}) {
    CHECK(IsBijection(All(EpochOrder(n, kShuffle, 5, 9))));
    CHECK(IsBijection(All(EpochOrder(n, Blocks(1024, 16), 5, 9))));
    CHECK(IsBijection(All(EpochOrder(n, Blocks(100, 3), 5, 9))));
  }
}

TEST_CASE("EpochOrder takes blocks and windows of any size",
          "[epoch_order][one_thread]") {
  const std::uint64_t huge = ~std::uint64_t{0};
  const Positions whole = All(EpochOrder(100, Blocks(100, 1), 1, 2));
  CHECK(IsBijection(whole));
  CHECK(All(EpochOrder(100, Blocks(huge, huge), 1, 2)) == whole);
  CHECK(All(EpochOrder(100, Blocks(101, 1), 1, 2)) == whole);
  CHECK(All(EpochOrder(100, Blocks(3, huge), 1, 2)) ==
        All(EpochOrder(100, Blocks(3, 34), 1, 2)));
  // Positions of more samples than any dataset has still stay apart.
  const std::uint64_t n = (std::uint64_t{1} << 62) - 1;
  for (const OrderOptions& options :
       {kShuffle, Blocks(1024, 16), Blocks(n - 1, 2), Blocks(1, huge)}) {
    const EpochOrder order(n, options, 1, 2);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 500; ++i) {
      seen.insert(order(i));
      seen.insert(order(n - 1 - i));
    }
    CHECK(seen.size() == 1000);
    CHECK(*seen.rbegin() < n);
  }
}

// Outputs of version 2 of the shuffle.
TEST_CASE("EpochOrder keeps its outputs for ever",
          "[epoch_order][one_thread]") {
  CHECK(All(EpochOrder(12, kSequential, 5, 6)) ==
        Positions{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(All(EpochOrder(12, kShuffle, 0, 0)) ==
        Positions{9, 2, 0, 5, 1, 4, 10, 3, 11, 7, 8, 6});
  CHECK(All(EpochOrder(12, kShuffle, 42, 1)) ==
        Positions{0, 7, 1, 6, 3, 11, 8, 9, 2, 4, 10, 5});
  CHECK(All(EpochOrder(20, Blocks(4, 2), 0, 0)) ==
        Positions{7,  4, 12, 6,  14, 15, 13, 5, 19, 8,
                  11, 9, 18, 10, 16, 17, 0,  3, 1,  2});
  CHECK(All(EpochOrder(22, Blocks(4, 2), 0, 0)) ==
        Positions{7, 4,  12, 6,  14, 15, 13, 5,  19, 8, 11,
                  9, 18, 10, 16, 17, 2,  20, 21, 0,  3, 1});
  CHECK(All(EpochOrder(22, Blocks(4, 2), 0, 1)) ==
        Positions{1,  11, 10, 2,  8,  0,  9,  3,  5,  7,  4,
                  21, 20, 6,  18, 16, 13, 15, 19, 12, 17, 14});
  CHECK(All(EpochOrder(22, Blocks(4, 1), 7, 1)) ==
        Positions{13, 12, 15, 14, 21, 20, 8,  11, 10, 9, 0,
                  3,  2,  1,  18, 16, 19, 17, 6,  4,  5, 7});
  const auto some = [](const EpochOrder& order) {
    Positions positions;
    for (std::uint64_t i = 0; i < 14'197'087; i += 2'000'000) {
      positions.push_back(order(i));
    }
    return positions;
  };
  CHECK(some(EpochOrder(14'197'087, kShuffle, 42, 89)) ==
        Positions{1432789, 1576519, 2254051, 1538128, 11614118, 13840552,
                  7248053, 4943398});
  CHECK(some(EpochOrder(14'197'087, Blocks(1024, 16), 42, 89)) ==
        Positions{12293697, 10124896, 11196078, 35975, 6554355, 2564529,
                  3949692, 7468368});
}

// Positions at which both have the same sample: about 1 if they are unrelated.
int Agreements(const Positions& a, const Positions& b) {
  int agreements = 0;
  for (std::size_t i = 0; i < a.size(); ++i) agreements += a[i] == b[i];
  return agreements;
}

TEST_CASE("EpochOrder is another one in each epoch and for each seed",
          "[epoch_order][one_thread]") {
  for (const OrderOptions& options : {kShuffle, Blocks(10, 4)}) {
    const Positions base = All(EpochOrder(1005, options, 7, 0));
    CHECK(All(EpochOrder(1005, options, 7, 0)) == base);
    for (std::uint64_t other = 1; other < 5; ++other) {
      CHECK(Agreements(base, All(EpochOrder(1005, options, 7, other))) < 10);
      CHECK(Agreements(base, All(EpochOrder(1005, options, 7 + other, 0))) <
            10);
      CHECK(Agreements(base, All(EpochOrder(1005, options, 7, other << 32))) <
            10);
    }
  }
}

// The blocks that come in each run of the order. A run ends as soon as its
// samples fill up as many blocks as a window has.
std::vector<std::set<std::uint64_t>> BlocksOfRuns(const EpochOrder& order,
                                                  std::uint64_t block,
                                                  std::uint64_t window) {
  std::vector<std::set<std::uint64_t>> runs;
  std::map<std::uint64_t, std::uint64_t> missing;
  std::uint64_t begun = 0;
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    const std::uint64_t number = order(i) / block;
    if (missing.empty() && begun % window == 0) runs.emplace_back();
    if (runs.back().insert(number).second) {
      ++begun;
      const std::uint64_t end = std::min((number + 1) * block, order.size());
      missing[number] = end - number * block;
    }
    if (--missing[number] == 0) missing.erase(number);
  }
  return runs;
}

TEST_CASE("EpochOrder in blocks keeps neighbours within windows",
          "[epoch_order][one_thread]") {
  for (const std::uint64_t n : {1000u, 1003u, 1019u, 997u}) {
    for (const std::uint64_t window : {1u, 4u, 7u}) {
      for (std::uint64_t epoch = 0; epoch < 30; ++epoch) {
        const EpochOrder order(n, Blocks(20, window), 11, epoch);
        const auto runs = BlocksOfRuns(order, 20, window);
        const std::uint64_t blocks = (n + 19) / 20;
        INFO(n << " samples, windows of " << window << ", epoch " << epoch);
        REQUIRE(runs.size() == (blocks + window - 1) / window);
        for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
          REQUIRE(runs[i].size() == window);
        }
      }
    }
  }
}

TEST_CASE("EpochOrder in blocks mixes the samples of a window",
          "[epoch_order][one_thread]") {
  const EpochOrder order(100'000, Blocks(100, 10), 3, 4);
  int neighbours = 0;
  for (std::uint64_t i = 0; i + 1 < order.size(); ++i) {
    neighbours += order(i) + 1 == order(i + 1);
  }
  // Inside a window of 1,000: about 100 by chance, standard deviation 10.
  CHECK(neighbours < 150);
}

// How often each sample is among the last ones of the order.
std::vector<int> TimesLast(std::uint64_t n, std::uint64_t last,
                           const OrderOptions& options, std::uint64_t epochs) {
  std::vector<int> times(n);
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const EpochOrder order(n, options, 1, epoch);
    for (std::uint64_t i = n - last; i < n; ++i) ++times[order(i)];
  }
  return times;
}

TEST_CASE("EpochOrder does not always leave the short block for the end",
          "[epoch_order][one_thread]") {
  // Blocks 0..3 and a short one; windows of 4, so that it would be alone.
  for (const OrderOptions& options : {kShuffle, Blocks(8, 4)}) {
    const std::vector<int> times = TimesLast(36, 4, options, 9000);
    for (std::size_t i = 32; i < 36; ++i) CHECK(times[i] > 500);
    for (const int count : times) CHECK(count > 500);
    for (const int count : times) CHECK(count < 2200);
  }
}

}  // namespace
}  // namespace shardine::epoch_order_test
