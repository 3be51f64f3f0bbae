#include "io/ahead_range.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace shardine::ahead_range_test {
namespace {

void Fill(AheadRange& range, const std::string& text) {
  REQUIRE(range.room().size() == text.size());
  std::ranges::copy(std::as_bytes(std::span(text)), range.room().begin());
}

std::string Copied(const AheadRange& range, std::uint64_t offset,
                   std::size_t size) {
  std::string text(size, '\0');
  range.Copy(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

TEST_CASE("AheadRange covers what lies inside it and nothing else",
          "[ahead_range]") {
  const AheadRange range(100, 10);
  CHECK(range.Covers(100, 10));
  CHECK(range.Covers(109, 1));
  CHECK(range.Covers(110, 0));
  CHECK_FALSE(range.Covers(99, 2));
  CHECK_FALSE(range.Covers(100, 11));
  CHECK_FALSE(range.Covers(109, 2));
  CHECK_FALSE(range.Covers(~std::uint64_t{0}, 1));
  CHECK_FALSE(range.Covers(105, ~std::uint64_t{0}));
}

TEST_CASE("AheadRange tells readers that came before and after its end",
          "[ahead_range]") {
  for (const bool came : {true, false}) {
    AheadRange range(7, 5);
    std::vector<bool> told;
    range.WhenEnded([&](bool each) { told.push_back(each); });
    range.WhenEnded([&](bool each) { told.push_back(each); });
    CHECK(told.empty());
    Fill(range, "hello");
    range.End(came);
    CHECK(told == std::vector<bool>(2, came));
    range.WhenEnded([&](bool each) { told.push_back(each); });
    CHECK(told == std::vector<bool>(3, came));
    if (came) CHECK(Copied(range, 8, 3) == "ell");
  }
}

TEST_CASE("AheadRange tells each of many racing readers once",
          "[ahead_range]") {
  for (int round = 0; round < 50; ++round) {
    AheadRange range(0, 4);
    std::atomic<int> told = 0;
    std::latch begin(5);
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i) {
      readers.emplace_back([&] {
        begin.arrive_and_wait();
        for (int j = 0; j < 20; ++j) {
          range.WhenEnded([&](bool came) {
            REQUIRE(came);
            REQUIRE(Copied(range, 1, 2) == "bc");
            ++told;
          });
        }
      });
    }
    Fill(range, "abcd");
    begin.arrive_and_wait();
    range.End(true);
    readers.clear();
    CHECK(told == 80);
  }
}

TEST_CASE("AheadRanges finds those that somebody keeps", "[ahead_range]") {
  AheadRanges ranges;
  CHECK(ranges.Find(0, 1) == nullptr);
  auto low = std::make_shared<AheadRange>(10, 10);
  const auto high = std::make_shared<AheadRange>(30, 10);
  ranges.Add(10, low);
  ranges.Add(30, high);
  CHECK(ranges.Find(9, 1) == nullptr);
  CHECK(ranges.Find(10, 10) == low);
  CHECK(ranges.Find(19, 2) == nullptr);
  CHECK(ranges.Find(20, 1) == nullptr);
  CHECK(ranges.Find(35, 5) == high);
  CHECK(ranges.Find(40, 1) == nullptr);
  low.reset();
  CHECK(ranges.Find(10, 10) == nullptr);
}

TEST_CASE("AheadRanges finds bytes in any of those that overlap",
          "[ahead_range]") {
  AheadRanges ranges;
  const auto first = std::make_shared<AheadRange>(10, 90);
  auto inside = std::make_shared<AheadRange>(30, 5);
  const auto alike = std::make_shared<AheadRange>(10, 20);
  const auto last = std::make_shared<AheadRange>(50, 60);
  ranges.Add(10, first);
  ranges.Add(30, inside);
  ranges.Add(10, alike);
  ranges.Add(50, last);
  CHECK(ranges.Find(60, 30) != nullptr);
  CHECK(ranges.Find(60, 50) == last);
  CHECK(ranges.Find(30, 20) == first);
  CHECK(ranges.Find(10, 90) == first);
  CHECK(ranges.Find(10, 100) == nullptr);
  inside.reset();
  CHECK(ranges.Find(31, 1) == first);
  CHECK(ranges.Find(110, 1) == nullptr);
  CHECK(ranges.Find(9, 2) == nullptr);
}

TEST_CASE("AheadRanges does not find what was forgotten", "[ahead_range]") {
  AheadRanges ranges;
  const auto low = std::make_shared<AheadRange>(0, 100);
  const auto high = std::make_shared<AheadRange>(100, 100);
  ranges.Add(0, low);
  ranges.Add(100, high);
  ranges.Forget(50, 60);  // neither has all of these
  CHECK(ranges.Find(0, 100) == low);
  ranges.Forget(50, 10);
  CHECK(ranges.Find(0, 100) == nullptr);
  CHECK(ranges.Find(100, 100) == high);
}

}  // namespace
}  // namespace shardine::ahead_range_test
