#include "io/range_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/philox.h"
#include "support/draws.h"

namespace shardine::range_plan_test {
namespace {

TEST_CASE("Any pieces get the bytes of the file by any plan", "[remote]") {
  std::string file(5'000, '\0');
  for (std::size_t i = 0; i < file.size(); ++i) {
    file[i] =
        static_cast<char>(Philox4x32({static_cast<std::uint32_t>(i)}, {})[0]);
  }
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    INFO(seed);
    Draws draws(seed);
    const RangeLimits limits{.gap = draws.Below(200),
                             .size = 1 + draws.Below(700)};
    std::vector<std::string> out(draws.Below(20));
    std::vector<Piece> pieces;
    for (std::string& each : out) {
      each.assign(draws.Below(5) == 0 ? draws.Below(2'000) : draws.Below(100),
                  '?');
      pieces.push_back({.file = nullptr,
                        .offset = draws.Below(file.size() - each.size()),
                        .out = std::as_writable_bytes(std::span(each))});
    }
    std::uint64_t last_end = 0;
    for (const PlannedRange& range : PlanRanges(pieces, limits)) {
      CHECK(range.size <= limits.size);
      REQUIRE(range.segments.size() == range.pieces.size());
      std::uint64_t at = range.first;
      for (const BodySegment& segment : range.segments) {
        CHECK(segment.offset >= at);
        CHECK(segment.offset - at <= limits.gap);
        std::ranges::copy(std::as_bytes(std::span(file))
                              .subspan(segment.offset, segment.out.size()),
                          segment.out.begin());
        at = segment.offset + segment.out.size();
      }
      CHECK(range.segments.front().offset == range.first);
      CHECK(at == range.first + range.size);
      last_end = std::max(last_end, at);
    }
    CHECK(last_end <= file.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      CHECK(out[i] == file.substr(pieces[i].offset, out[i].size()));
    }
  }
}

TEST_CASE("Neighbours are one range, and what lies far apart is two",
          "[remote]") {
  std::byte bytes[30];
  const std::span<std::byte> all(bytes);
  const std::vector<Piece> pieces = {
      {.file = nullptr, .offset = 111, .out = all.subspan(0, 10)},
      {.file = nullptr, .offset = 50, .out = all.subspan(10, 10)},
      {.file = nullptr, .offset = 70, .out = all.subspan(20, 10)}};
  const auto ranges = PlanRanges(pieces, {.gap = 30, .size = 1'000});
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].first == 50);
  CHECK(ranges[0].size == 30);
  CHECK(ranges[0].pieces == std::vector<std::size_t>{1, 2});
  CHECK(ranges[1].first == 111);
  CHECK(PlanRanges(pieces, {.gap = 31, .size = 1'000}).size() == 1);
}

}  // namespace
}  // namespace shardine::range_plan_test
