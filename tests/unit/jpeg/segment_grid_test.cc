#include "jpeg/segment_grid.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace shardine::segment_grid_test {
namespace {

JpegFrame MakeFrame(std::uint32_t across, std::uint32_t down,
                    std::uint32_t max_h, std::uint32_t interval) {
  JpegFrame frame;
  frame.max_h = max_h;
  frame.mcus_across = across;
  frame.mcus_down = down;
  frame.restart_interval = interval;
  return frame;
}

// Lists segments by their definition: one MCU after the other.
std::vector<Segment> ListSegments(const JpegFrame& frame) {
  std::vector<Segment> all;
  const std::uint32_t step = kSegmentPixels / frame.mcu_width();
  for (std::uint32_t i = 0; i < frame.mcus_across * frame.mcus_down; ++i) {
    const std::uint32_t x = i % frame.mcus_across;
    const bool restarts =
        frame.restart_interval > 0 && i > 0 && i % frame.restart_interval == 0;
    if (x % step == 0 || restarts) {
      all.push_back({x, i / frame.mcus_across, 0, restarts});
    }
    ++all.back().mcus;
  }
  return all;
}

bool SameSegment(const Segment& a, const Segment& b) {
  return a.mcu_x == b.mcu_x && a.mcu_y == b.mcu_y && a.mcus == b.mcus &&
         a.restarts == b.restarts;
}

void CheckRow(const SegmentGrid& grid, const std::vector<Segment>& all,
              std::uint32_t mcu_y, std::uint32_t first, std::uint32_t end) {
  CAPTURE(mcu_y, first, end);
  std::vector<Segment> found = {{9999, 0, 0, false}};
  const std::size_t number = grid.FindInRow(mcu_y, first, end, found);
  std::vector<Segment> expected = {found.front()};
  std::size_t expected_number = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Segment& segment = all[i];
    if (segment.mcu_y != mcu_y || segment.mcu_x >= end ||
        segment.mcu_x + segment.mcus <= first) {
      continue;
    }
    expected.push_back(segment);
    expected_number = std::min(expected_number, i);
  }
  REQUIRE(number == expected_number);
  REQUIRE(std::equal(found.begin(), found.end(), expected.begin(),
                     expected.end(), SameSegment));
}

void CheckGrid(const JpegFrame& frame) {
  CAPTURE(frame.mcus_across, frame.mcus_down, frame.restart_interval);
  const std::vector<Segment> all = ListSegments(frame);
  SegmentGrid grid;
  grid.Reset(frame);
  REQUIRE(grid.size() == all.size());
  for (std::uint32_t y = 0; y <= frame.mcus_down; ++y) {
    const auto begin = std::find_if(
        all.begin(), all.end(), [&](const Segment& s) { return s.mcu_y >= y; });
    REQUIRE(grid.RowBegin(y) == static_cast<std::size_t>(begin - all.begin()));
  }
  for (std::uint32_t y = 0; y < frame.mcus_down; ++y) {
    for (std::uint32_t x = 0; x < frame.mcus_across; ++x) {
      CheckRow(grid, all, y, x, x + 1);
      CheckRow(grid, all, y, x, frame.mcus_across);
      CheckRow(grid, all, y, 0, x + 1);
    }
  }
}

}  // namespace

TEST_CASE("a segment begins every 64 pixels of an MCU row", "[jpeg]") {
  SegmentGrid grid;
  grid.Reset(MakeFrame(19, 3, 1, 0));
  CHECK(grid.size() == 9);
  CHECK(grid.RowBegin(2) == 6);
  std::vector<Segment> found;
  CHECK(grid.FindInRow(1, 9, 19, found) == 4);
  REQUIRE(found.size() == 2);
  CHECK(SameSegment(found[0], {8, 1, 8, false}));
  CHECK(SameSegment(found[1], {16, 1, 3, false}));
  grid.Reset(MakeFrame(19, 3, 2, 0));
  CHECK(grid.size() == 15);
}

TEST_CASE("a segment begins at every restart marker, wherever in its row",
          "[jpeg]") {
  for (const std::uint32_t across : {1u, 3u, 8u, 17u, 21u}) {
    for (const std::uint32_t max_h : {1u, 2u}) {
      for (std::uint32_t interval = 0; interval <= 44; ++interval) {
        CheckGrid(MakeFrame(across, 5, max_h, interval));
      }
      CheckGrid(MakeFrame(across, 5, max_h, 65535));
    }
  }
}

TEST_CASE("the segments of the largest frame are counted, not listed",
          "[jpeg]") {
  SegmentGrid grid;
  grid.Reset(MakeFrame(8188, 8188, 1, 1));
  CHECK(grid.size() == 8188u * 8188u);
  grid.Reset(MakeFrame(8187, 8188, 1, 2));
  CHECK(grid.RowBegin(8188) == grid.size());
  std::vector<Segment> found;
  CHECK(grid.FindInRow(8187, 8186, 8187, found) == grid.size() - 1);
}

}  // namespace shardine::segment_grid_test
