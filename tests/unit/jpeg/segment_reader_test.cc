#include "jpeg/segment_reader.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/jpeg_variety.h"
#include "support/simd_levels.h"
#include "unit/jpeg/scan_fixture.h"

namespace shardine::segment_reader_test {
namespace {

using namespace std::string_literals;
using Points = std::vector<EntryPoint>;

constexpr std::size_t kWholeImage = std::size_t{1} << 30;

// The samples of a range of MCUs, and whether they could be read.
struct Reading {
  explicit Reading(const ScanFixture& fixture) : fixture_(fixture) {}

  bool Read(SimdLevel level, const McuRange& range, const std::string& packed) {
    planes_.Reset(fixture_.frame, range, kWholeImage);
    writer_.Begin(level, fixture_.frame, range, planes_);
    return reader_.Begin(fixture_.bytes(), fixture_.frame, range,
                         AsBytes(packed)) &&
           reader_.ReadRows(level, fixture_.tables, range.y, range.end_y,
                            writer_);
  }

  // The samples of the blocks of an MCU, one after the other.
  std::vector<std::uint8_t> SamplesOf(std::uint32_t x, std::uint32_t y) {
    std::vector<std::uint8_t> samples;
    for (std::uint32_t b = 0; b < fixture_.frame.blocks_per_mcu; ++b) {
      const McuBlock& block = fixture_.frame.mcu_block[b];
      for (std::size_t row = 0; row < kBlockSide; ++row) {
        const std::uint8_t* const from =
            planes_.At(block, x, y) + row * planes_.stride(block.component);
        samples.insert(samples.end(), from, from + kBlockSide);
      }
    }
    return samples;
  }

 private:
  const ScanFixture& fixture_;
  SamplePlanes planes_;
  McuWriter writer_;
  SegmentReader reader_;
};

std::string Pack(const ScanFixture& fixture, const Points& points) {
  return PackEntryPoints(fixture.frame, fixture.grid, points);
}

McuRange WholeOf(const JpegFrame& frame) {
  return {0, frame.mcus_across, 0, frame.mcus_down};
}

void CheckRange(const ScanFixture& fixture, const std::string& packed,
                const McuRange& range, Reading& whole) {
  CAPTURE(range.x, range.end_x, range.y, range.end_y);
  Reading part(fixture);
  for (const SimdLevel level : SimdLevels()) {
    INFO(ToString(level));
    REQUIRE(part.Read(level, range, packed));
    for (std::uint32_t y = range.y; y < range.end_y; ++y) {
      for (std::uint32_t x = range.x; x < range.end_x; ++x) {
        REQUIRE((part.SamplesOf(x, y) == whole.SamplesOf(x, y)));
      }
    }
  }
}

// Whether points are taken for a whole image, at every level alike.
bool Takes(const ScanFixture& fixture, const Points& points) {
  Reading reading(fixture);
  const std::string packed = Pack(fixture, points);
  const McuRange whole = WholeOf(fixture.frame);
  const bool takes = reading.Read(SimdLevel::kPortable, whole, packed);
  for (const SimdLevel level : SimdLevels()) {
    CHECK(reading.Read(level, whole, packed) == takes);
  }
  return takes;
}

}  // namespace

TEST_CASE("ranges of MCUs have the samples that they have in the whole",
          "[jpeg]") {
  for (std::uint32_t number = 0; number < 40; ++number) {
    CAPTURE(number);
    const ScanFixture fixture(MakeVariedJpeg(50000 + number));
    const JpegFrame& frame = fixture.frame;
    const std::string packed = Pack(fixture, fixture.FindPoints());
    Reading whole(fixture);
    REQUIRE(whole.Read(SimdLevel::kPortable, WholeOf(frame), packed));
    const std::uint32_t x = frame.mcus_across / 2;
    const std::uint32_t y = frame.mcus_down / 2;
    for (const McuRange& range :
         {WholeOf(frame), McuRange{x, x + 1, y, y + 1},
          McuRange{0, 1, 0, frame.mcus_down},
          McuRange{x, frame.mcus_across, y, frame.mcus_down},
          McuRange{frame.mcus_across - 1, frame.mcus_across,
                   frame.mcus_down - 1, frame.mcus_down}}) {
      CheckRange(fixture, packed, range, whole);
    }
  }
}

TEST_CASE("points are proved by the whole scan", "[jpeg][corruption]") {
  for (const unsigned interval : {0u, 3u}) {
    JpegSpec spec{.width = 300, .height = 260, .noise = 70};
    spec.restart_mcus = interval;
    const ScanFixture fixture(MakeJpeg(spec));
    const auto proves = [&](const Points& points) {
      SegmentReader reader;
      const std::string packed = Pack(fixture, points);
      bool proved = false;
      for (const SimdLevel level : SimdLevels()) {
        proved = reader.Begin(fixture.bytes(), fixture.frame,
                              WholeOf(fixture.frame), AsBytes(packed)) &&
                 reader.Prove(level, fixture.tables);
        CHECK(proved == Takes(fixture, points));
      }
      return proved;
    };
    const Points points = fixture.FindPoints();
    CHECK(proves(points));
    for (const std::size_t i :
         {std::size_t{1}, points.size() / 2, points.size() - 1}) {
      Points moved = points;
      moved[i].bit += 1;
      CHECK_FALSE(proves(moved));
      Points shifted = points;
      for (std::size_t k = i; k < points.size(); ++k) shifted[k].dc[0] += 3;
      if (interval == 0) CHECK_FALSE(proves(shifted));
    }
  }
}

TEST_CASE("one edge that does not fit is met by one of many regions",
          "[jpeg][corruption]") {
  const ScanFixture fixture(MakeJpeg({.width = 700, .height = 300}));
  const JpegFrame& frame = fixture.frame;
  const Points points = fixture.FindPoints();
  // The points of the image's lower half have other predictors than those
  // before say.
  Points lying = points;
  for (std::size_t i = points.size() / 2; i < points.size(); ++i) {
    lying[i].dc[0] += 5;
  }
  for (const Points& each : {points, lying}) {
    const std::string packed = Pack(fixture, each);
    int taken = 0;
    int refused = 0;
    Reading reading(fixture);
    for (std::uint32_t x = 0; x < frame.mcus_across; ++x) {
      for (std::uint32_t y = 11; y < frame.mcus_down; ++y) {
        for (std::uint32_t end = x + 1; end <= frame.mcus_across; end += 3) {
          const bool read = reading.Read(CurrentSimdLevel(),
                                         {x, end, y, frame.mcus_down}, packed);
          ++(read ? taken : refused);
        }
      }
    }
    CAPTURE(taken, refused);
    CHECK(taken > 0);
    CHECK((refused > 0) == (each == lying));
  }
}

TEST_CASE("a point that is moved, or has other predictors, is refused",
          "[jpeg][corruption]") {
  for (const unsigned interval : {0u, 3u}) {
    JpegSpec spec{.width = 300, .height = 60, .noise = 70};
    spec.restart_mcus = interval;
    const ScanFixture fixture(MakeJpeg(spec));
    const Points points = fixture.FindPoints();
    REQUIRE(Takes(fixture, points));
    for (std::size_t i = 1; i < points.size(); ++i) {
      CAPTURE(interval, i);
      for (const int by : {-9, -1, 1, 3, 8, 16}) {
        Points other = points;
        other[i].bit += static_cast<std::uint64_t>(by);
        CHECK_FALSE(Takes(fixture, other));
      }
      for (std::size_t c = 0; c < 3; ++c) {
        if (fixture.segments[i].restarts) continue;
        Points other = points;
        ++other[i].dc[c];
        CHECK_FALSE(Takes(fixture, other));
      }
    }
  }
}

TEST_CASE("points that leave out a restart interval are refused",
          "[jpeg][corruption]") {
  // Rows of one segment that are all alike.
  JpegSpec spec{.width = 64, .height = 16 * 20, .quality = 1, .noise = 0};
  spec.restart_rows = 1;
  const ScanFixture fixture(MakeJpeg(spec));
  const Points points = fixture.FindPoints();
  REQUIRE(points.size() == 20);
  for (const std::size_t by : {1u, 8u}) {
    for (std::size_t from = 1; from + by < points.size(); ++from) {
      Points other = points;
      for (std::size_t i = from; i + by < other.size(); ++i) {
        other[i] = points[i + by];
      }
      for (std::size_t i = other.size() - by; i < other.size(); ++i) {
        other[i].bit = other[i - 1].bit + 1;
      }
      CHECK_FALSE(Takes(fixture, other));
    }
  }
}

TEST_CASE("no segment begins in a stuffed zero", "[jpeg][corruption]") {
  int tried = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const ScanFixture fixture(MakeJpeg({.width = 330,
                                        .height = 100,
                                        .quality = 95,
                                        .seed = seed,
                                        .noise = 200}));
    const Points points = fixture.FindPoints();
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (fixture.jpeg[points[i].bit / 8] != '\xFF') continue;
      ++tried;
      Points other = points;
      other[i].bit += 8;
      CHECK_FALSE(Takes(fixture, other));
    }
  }
  CHECK(tried > 3);
}

TEST_CASE("data that are not those of the points are refused",
          "[jpeg][corruption]") {
  const std::string jpeg =
      MakeJpeg({.width = 100, .height = 40, .restart_mcus = 4});
  const Points points = ScanFixture(jpeg).FindPoints();
  const auto takes = [&](const std::string& changed) {
    return Takes(ScanFixture(changed), points);
  };
  REQUIRE(takes(jpeg));
  REQUIRE(takes(jpeg + "behind"s));
  std::string other = jpeg;
  other.back() = '\xD0';
  CHECK_FALSE(takes(other));
  CHECK_FALSE(takes(jpeg.substr(0, jpeg.size() - 2)));
  CHECK_FALSE(takes(jpeg.substr(0, jpeg.size() - 1)));
  other = jpeg;
  other[jpeg.find("\xFF\xD1") + 1] = '\xD2';
  CHECK_FALSE(takes(other));
  other = jpeg;
  other.insert(jpeg.find("\xFF\xD1"), "\xFF\xD0");
  CHECK_FALSE(takes(other));
}

}  // namespace shardine::segment_reader_test
