// A JPEG with the parts needed to decode its scan, and libjpeg's reading of it.
#ifndef SHARDINE_TESTS_UNIT_JPEG_SCAN_FIXTURE_H_
#define SHARDINE_TESTS_UNIT_JPEG_SCAN_FIXTURE_H_

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "jpeg/coefficients.h"
#include "jpeg/entropy_tables.h"
#include "jpeg/entry_point_finder.h"
#include "support/jpeg_coefficients.h"

namespace shardine {

using NaturalBlock = std::array<std::int16_t, kBlockSize>;

// A block as a decoder at that level leaves it, in natural order.
inline NaturalBlock InNaturalOrder(SimdLevel level,
                                   const std::int16_t* coefficients) {
  NaturalBlock block;
  const bool zigzag = CoefficientOrderAt(level) == CoefficientOrder::kZigzag;
  for (std::size_t k = 0; k < kBlockSize; ++k) {
    block[kNaturalOrder[k]] = coefficients[zigzag ? k : kNaturalOrder[k]];
  }
  return block;
}

struct ScanFixture {
  explicit ScanFixture(std::string made) : jpeg(std::move(made)) {
    REQUIRE(ReadJpegFrame(bytes(), frame));
    tables.Build(frame);
    grid.Reset(frame);
    for (std::uint32_t y = 0; y < frame.mcus_down; ++y) {
      grid.FindInRow(y, 0, frame.mcus_across, segments);
    }
  }

  ByteView bytes() const { return AsBytes(jpeg); }

  std::vector<EntryPoint> FindPoints() const {
    std::vector<EntryPoint> points;
    REQUIRE(EntryPointFinder().Find(bytes(), frame, grid, points));
    return points;
  }

  // All blocks, in the order of the scan; at place 0 the DC value itself.
  std::vector<NaturalBlock> BlocksByLibjpeg() const {
    const CoefficientPlanes planes = ReadCoefficients(jpeg);
    std::vector<NaturalBlock> blocks;
    for (std::uint32_t y = 0; y < frame.mcus_down; ++y) {
      for (std::uint32_t x = 0; x < frame.mcus_across; ++x) {
        for (std::uint32_t b = 0; b < frame.blocks_per_mcu; ++b) {
          const McuBlock& place = frame.mcu_block[b];
          const FrameComponent& component = frame.component[place.component];
          const CoefficientPlane& plane = planes[place.component];
          blocks.push_back(
              plane.blocks[(y * component.v + place.y) * plane.blocks_across +
                           x * component.h + place.x]);
        }
      }
    }
    return blocks;
  }

  std::string jpeg;
  JpegFrame frame;
  EntropyTables tables;
  SegmentGrid grid;
  std::vector<Segment> segments;  // all of them
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_JPEG_SCAN_FIXTURE_H_
