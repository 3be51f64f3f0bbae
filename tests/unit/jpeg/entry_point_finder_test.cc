#include "jpeg/entry_point_finder.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/jpeg_variety.h"
#include "support/jpeg_verdict.h"
#include "support/simd_levels.h"
#include "unit/jpeg/scan_fixture.h"

namespace shardine::entry_point_finder_test {
namespace {

using namespace std::string_literals;

bool Finds(const std::string& jpeg) {
  const ScanFixture fixture(jpeg);
  std::vector<EntryPoint> points;
  const bool found = EntryPointFinder().Find(fixture.bytes(), fixture.frame,
                                             fixture.grid, points);
  for (const SimdLevel level : SimdLevels()) {
    const SimdLimit limit(level);
    INFO(ToString(level));
    std::vector<EntryPoint> others;
    CHECK(EntryPointFinder().Find(fixture.bytes(), fixture.frame, fixture.grid,
                                  others) == found);
    CHECK((!found || others == points));
  }
  return found;
}

std::string SomeJpeg(unsigned restart_mcus = 0) {
  JpegSpec spec{.width = 120, .height = 50, .noise = 80};
  spec.restart_mcus = restart_mcus;
  return MakeJpeg(spec);
}

// libjpeg warns, and so nothing is found.
void CheckDamage(const std::string& jpeg) {
  CHECK_FALSE(VerdictByLibjpeg(jpeg).clean());
  CHECK_FALSE(Finds(jpeg));
}

}  // namespace

TEST_CASE("one point is found for each segment, first that of the scan",
          "[jpeg]") {
  for (std::uint32_t number = 0; number < 200; ++number) {
    CAPTURE(number);
    const ScanFixture fixture(MakeVariedJpeg(30000 + number));
    const std::vector<EntryPoint> points = fixture.FindPoints();
    REQUIRE(points.size() == fixture.segments.size());
    CHECK(points[0] == EntryPoint{8 * fixture.frame.scan, {}});
    for (std::size_t i = 1; i < points.size(); ++i) {
      REQUIRE(points[i].bit > points[i - 1].bit);
      const std::size_t byte = points[i].bit / 8;
      REQUIRE((fixture.jpeg[byte] != '\0' || fixture.jpeg[byte - 1] != '\xFF'));
      if (!fixture.segments[i].restarts) continue;
      CHECK(points[i].dc == std::array<std::int16_t, 3>{});
      CHECK(points[i].bit % 8 == 0);
      CHECK(fixture.jpeg[byte - 2] == '\xFF');
    }
  }
}

TEST_CASE("the predictors of a point are the DC values before it", "[jpeg]") {
  for (std::uint32_t number = 0; number < 200; ++number) {
    CAPTURE(number);
    const ScanFixture fixture(MakeVariedJpeg(31000 + number));
    const JpegFrame& frame = fixture.frame;
    const std::vector<EntryPoint> points = fixture.FindPoints();
    const std::vector<NaturalBlock> blocks = fixture.BlocksByLibjpeg();
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Segment& segment = fixture.segments[i];
      if (segment.restarts) continue;
      const std::size_t mcu =
          std::size_t{segment.mcu_y} * frame.mcus_across + segment.mcu_x;
      std::array<std::int16_t, kMaxComponents> dc{};
      for (std::size_t b = 0; b < frame.blocks_per_mcu; ++b) {
        dc[frame.mcu_block[b].component] =
            blocks[(mcu - 1) * frame.blocks_per_mcu + b][0];
      }
      REQUIRE(points[i].dc == dc);
    }
  }
}

TEST_CASE("a scan that ends early or late is damaged", "[jpeg][corruption]") {
  const std::string jpeg = SomeJpeg();
  REQUIRE(Finds(jpeg));
  const std::size_t end = jpeg.size() - 2;
  CheckDamage(jpeg.substr(0, end));
  CheckDamage(jpeg.substr(0, end - 40));
  CheckDamage(jpeg.substr(0, end - 40) + "\xFF\xD9"s);
}

TEST_CASE("restart markers that do not count on are damage",
          "[jpeg][corruption]") {
  const std::string jpeg = SomeJpeg(3);
  REQUIRE(Finds(jpeg));
  const std::size_t at = jpeg.find("\xFF\xD1");
  REQUIRE(at != std::string::npos);
  std::string other = jpeg;
  other[at + 1] = '\xD2';
  CheckDamage(other);
  other = jpeg;
  other.erase(at, 2);
  CheckDamage(other);
}

TEST_CASE("what libjpeg puts up with in silence has no points",
          "[jpeg][corruption]") {
  const auto check = [](const std::string& jpeg) {
    CHECK(VerdictByLibjpeg(jpeg).clean());
    CHECK_FALSE(Finds(jpeg));
  };
  const std::string jpeg = SomeJpeg(3);
  const std::size_t end = jpeg.size() - 2;
  check(jpeg.substr(0, end) + "\0\xFF\xD9"s);
  check(jpeg.substr(0, end) + "\xFF\xD0\xFF\xD9"s);
  check(jpeg.substr(0, end) + "\xFF\xFF\xD9"s);
  std::string other = jpeg;
  other.insert(jpeg.find("\xFF\xD1"), 1, '\x55');
  check(other);
}

TEST_CASE("a code that does not exist is damage", "[jpeg][corruption]") {
  std::string jpeg = SomeJpeg();
  const std::size_t scan = ScanFixture(jpeg).frame.scan;
  // 32 ones: no code is all ones.
  jpeg.replace(scan + 60, 8, "\xFF\0\xFF\0\xFF\0\xFF\0"s);
  CheckDamage(jpeg);
}

TEST_CASE("what follows the image is none of its business", "[jpeg]") {
  CHECK(Finds(SomeJpeg() + "whatever"));
}

TEST_CASE("a finder used before finds the same", "[jpeg]") {
  EntryPointFinder kept;
  for (std::uint32_t number = 0; number < 60; ++number) {
    const std::string whole = MakeVariedJpeg(32000 + number);
    const ScanFixture fixture(
        number % 3 == 0 ? whole.substr(0, whole.size() - 5) : whole);
    std::vector<EntryPoint> points = {{7, {1, 2, 3}}};
    const bool found =
        kept.Find(fixture.bytes(), fixture.frame, fixture.grid, points);
    CHECK(found == (number % 3 != 0));
    if (found) CHECK(points == fixture.FindPoints());
  }
}

}  // namespace shardine::entry_point_finder_test
