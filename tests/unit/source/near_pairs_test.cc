// Pairs of near hashes against a comparison of all.

#include "source/near_pairs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/stop_scope.h"
#include "support/draws.h"

namespace shardine::near_pairs_test {
namespace {

PdqHash Drawn(Draws& draws) {
  PdqHash hash{};
  for (std::uint32_t bit = 0; bit < 256; ++bit) {
    hash[bit / 64] |= std::uint64_t{draws.Below(2)} << bit % 64;
  }
  return hash;
}

PdqHash Changed(PdqHash hash, std::uint32_t bits, Draws& draws) {
  for (std::uint32_t i = 0; i < bits; ++i) {
    const std::uint32_t bit = draws.Below(256);
    hash[bit / 64] ^= std::uint64_t{1} << bit % 64;
  }
  return hash;
}

// Bits as far from one another as they can be: two of each part of 16.
PdqHash Spread(PdqHash hash, std::uint32_t bits) {
  for (std::uint32_t i = 0; i < bits; ++i) {
    const std::uint32_t bit = i % 16 * 16 + i / 16;
    hash[bit / 64] ^= std::uint64_t{1} << bit % 64;
  }
  return hash;
}

std::vector<NearPair> AllPairs(const std::vector<PdqHash>& hashes,
                               const std::vector<bool>& is_wide) {
  std::vector<NearPair> pairs;
  for (std::uint32_t j = 0; j < hashes.size(); ++j) {
    for (std::uint32_t i = 0; i < j; ++i) {
      std::uint32_t least = 256;
      for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
        least = std::min(least, Distance(hashes[i], Turned(hashes[j], turn)));
      }
      const bool wide = is_wide[i] || is_wide[j];
      if (least <= (wide ? NearLimits().wide : NearLimits().any)) {
        pairs.push_back({.first = i, .second = j, .distance = least});
      }
    }
  }
  std::ranges::sort(pairs, {}, [](const NearPair& pair) {
    return std::pair(pair.first, pair.second);
  });
  return pairs;
}

NearPairs PairsOf(const std::vector<PdqHash>& hashes,
                  const std::vector<bool>& is_wide, unsigned threads = 2) {
  auto pairs = FindNearPairs(hashes, is_wide, {}, threads);
  REQUIRE(pairs.status().ToString() == "OK");
  return *std::move(pairs);
}

}  // namespace

TEST_CASE("Near pairs are those that a comparison of all finds",
          "[near_pairs]") {
  const auto seed = static_cast<std::uint32_t>(GENERATE(range(0, 6)));
  Draws draws(seed);
  std::vector<PdqHash> hashes;
  std::vector<bool> is_wide;
  for (int i = 0; i < 60; ++i) {
    const PdqHash hash = Drawn(draws);
    hashes.push_back(hash);
    hashes.push_back(Changed(hash, 1 + draws.Below(100), draws));
    hashes.push_back(
        Turned(Changed(hash, draws.Below(40), draws), draws.Below(kTurns)));
    hashes.push_back(Spread(hash, 30 + draws.Below(3)));
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    is_wide.push_back(seed % 3 == 0 ? false : draws.Below(4) < seed % 3);
  }
  const NearPairs found = PairsOf(hashes, is_wide);
  CHECK(found.cut == 0);
  std::vector<NearPair> expected = AllPairs(hashes, is_wide);
  REQUIRE(found.pairs.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const NearPair& pair = found.pairs[i];
    CHECK(pair.first == expected[i].first);
    CHECK(pair.second == expected[i].second);
    CHECK(pair.distance == expected[i].distance);
    CHECK(
        Distance(hashes[pair.first], Turned(hashes[pair.second], pair.turn)) <=
        pair.distance + 16);
  }
  CHECK(PairsOf(hashes, is_wide, 1).pairs == found.pairs);
}

// tools/nightly.sh runs it, which takes longer than 15 minutes.
TEST_CASE("Near pairs among a million hashes are complete",
          "[.near_pairs_of_many]") {
  constexpr std::uint32_t kHashes = 1'000'000;
  Draws draws(7);
  std::vector<PdqHash> hashes;
  while (hashes.size() < kHashes) {
    PdqHash hash{};
    for (std::uint32_t part = 0; part < 16; ++part) {
      hash[part / 4] |= std::uint64_t{draws.Below(1U << 16)} << part % 4 * 16;
    }
    hashes.push_back(hash);
    if (hashes.size() % 100 != 0) continue;
    hashes.back() = Turned(Spread(hashes[hashes.size() - 2], draws.Below(35)),
                           draws.Below(kTurns));
  }
  const NearPairs found = PairsOf(hashes, std::vector<bool>(kHashes));
  CHECK(found.cut == 0);
  // Each 99th of a hundred has a copy, the next one has mostly none.
  const HashTable table(hashes);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
  std::vector<bool> is_asked(kHashes);
  for (std::uint32_t i = 99; i < kHashes; i += i % 100 == 99 ? 1 : 299) {
    is_asked[i] = true;
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      table.Search(Turned(hashes[i], turn), 0, kHashes, NearLimits::kMostAny,
                   [&](std::size_t at) {
                     const auto other = static_cast<std::uint32_t>(at);
                     if (other == i) return;
                     expected.emplace_back(std::min(i, other),
                                           std::max(i, other));
                   });
    }
  }
  std::ranges::sort(expected);
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const NearPair& pair : found.pairs) {
    if (is_asked[pair.first] || is_asked[pair.second]) {
      pairs.emplace_back(pair.first, pair.second);
    }
  }
  CHECK(expected.size() > 2000);
  CHECK(pairs == expected);
}

TEST_CASE("A hash keeps its nearest pairs, and more are counted",
          "[near_pairs]") {
  Draws draws(1);
  const bool wide = GENERATE(false, true);
  const PdqHash hash = Drawn(draws);
  std::vector<PdqHash> hashes;
  for (int i = 0; i < 200; ++i) hashes.push_back(Changed(hash, 10, draws));
  const std::vector<bool> is_wide(hashes.size(), wide);
  const NearPairs found = PairsOf(hashes, is_wide);
  CHECK(found.cut == 200 - NearLimits::kMost - 1);
  std::vector<std::size_t> counts(hashes.size());
  for (const NearPair& pair : found.pairs) ++counts[pair.second];
  CHECK(std::ranges::max(counts) == NearLimits::kMost);
  CHECK(PairsOf(hashes, is_wide, 1).pairs == found.pairs);
}

TEST_CASE("Equal hashes are pairs, and have the same pairs with others",
          "[near_pairs]") {
  Draws draws(2);
  const PdqHash hash = Drawn(draws);
  const std::vector<PdqHash> hashes = {hash, Changed(hash, 9, draws), hash,
                                       Drawn(draws), hash};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const NearPair& pair : PairsOf(hashes, std::vector<bool>(5)).pairs) {
    pairs.emplace_back(pair.first, pair.second);
  }
  CHECK(pairs == std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                     {0, 1}, {0, 2}, {0, 4}, {1, 2}, {1, 4}, {2, 4}});
}

TEST_CASE("Of very many equal hashes all are pairs with the first",
          "[near_pairs]") {
  Draws draws(2);
  const std::vector<PdqHash> hashes(1000, Drawn(draws));
  const NearPairs found = PairsOf(hashes, std::vector<bool>(1000));
  CHECK(found.pairs.size() == 64 * 63 / 2 + 1000 - 64);
  CHECK(found.cut == 1000 - 64);
  CHECK(std::ranges::count(found.pairs, 0U, &NearPair::first) == 999);
}

TEST_CASE("A limit of a call is kept", "[near_pairs]") {
  Draws draws(4);
  const PdqHash hash = Drawn(draws);
  const std::vector<PdqHash> hashes = {hash, Spread(hash, 20),
                                       Spread(hash, 10)};
  const bool wide = GENERATE(false, true);
  const auto pairs = FindNearPairs(hashes, std::vector<bool>(3, wide),
                                   {.any = 10, .wide = 10}, 1);
  REQUIRE(pairs.status().ToString() == "OK");
  CHECK(pairs->pairs.size() == 2);
}

TEST_CASE("A search for near pairs can be stopped", "[near_pairs]") {
  Draws draws(3);
  std::stop_source source;
  source.request_stop();
  const StopScope scope(source.get_token());
  const std::vector<PdqHash> hashes = {Drawn(draws), Drawn(draws)};
  CHECK(FindNearPairs(hashes, {false, true}, {}, 1).status().code() ==
        Code::kCancelled);
}

}  // namespace shardine::near_pairs_test
