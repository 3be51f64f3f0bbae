// Entry points that are not the file's own: of another image, shifted, cut, or
// with bits flipped. A whole image has its pixels nevertheless; so has a region
// unless the wrong points are those that it begins its rows with, which nothing
// in the file can tell of.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "jpeg/entry_points.h"
#include "support/jpeg_variety.h"
#include "support/region_oracle.h"
#include "support/sanitized.h"

namespace shardine::wrong_points_test {
namespace {

constexpr std::uint32_t kRounds = kSanitized ? 30 : 300;

using Points = std::vector<EntryPoint>;
using Random = std::mt19937;

struct Fixture {
  explicit Fixture(const std::string& made)
      : jpeg(made), oracle(AsBytes(jpeg)) {
    REQUIRE(ReadJpegFrame(AsBytes(jpeg), frame));
    grid.Reset(frame);
    packed = EntryPointsOf(AsBytes(jpeg));
    REQUIRE(UnpackEntryPoints(AsBytes(packed), frame, grid, jpeg.size(),
                              grid.size(), points));
  }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  std::string Pack(const Points& from) const {
    return PackEntryPoints(frame, grid, from);
  }

  // The segments with which the region begins its rows.
  std::vector<std::size_t> FirstSegments(const Region& box) const {
    const std::uint32_t across = frame.max_h - 1;
    const std::uint32_t down = frame.max_v - 1;
    const std::uint32_t mcu =
        (box.x - std::min(box.x, across)) / frame.mcu_width();
    const std::uint32_t end =
        std::min(box.y + box.height + down, frame.height) - 1;
    std::vector<std::size_t> numbers;
    std::vector<Segment> segments;
    for (std::uint32_t y = (box.y - std::min(box.y, down)) / frame.mcu_height();
         y <= end / frame.mcu_height(); ++y) {
      numbers.push_back(grid.FindInRow(y, mcu, mcu + 1, segments));
    }
    return numbers;
  }

  // Whether their points, if they can be read, are the right ones.
  bool BeginsRight(const std::string& wrong, const Region& box) const {
    const std::vector<std::size_t> numbers = FirstSegments(box);
    Points others;
    return !UnpackEntryPoints(AsBytes(wrong), frame, grid, jpeg.size(),
                              numbers.back() + 1, others) ||
           std::all_of(numbers.begin(), numbers.end(),
                       [&](std::size_t i) { return others[i] == points[i]; });
  }

  std::string FaultOfWhole(const std::string& wrong) {
    return oracle.FaultOfWhole(decoder, AsBytes(wrong));
  }
  std::string FaultOf(const Region& box, const std::string& wrong) {
    return oracle.FaultOfRegion(decoder, box, AsBytes(wrong));
  }

  // All that is promised of wrong points.
  void Check(const std::string& wrong, std::uint32_t seed) {
    CHECK(FaultOfWhole(wrong) == "");
    for (const Region& box : BoxesOf(oracle.size(), 16, seed)) {
      if (!BeginsRight(wrong, box)) continue;
      CHECK(FaultOf(box, wrong) == "");
      ++regions;
    }
  }

  std::string jpeg;
  RegionOracle oracle;
  ImageDecoder decoder;
  JpegFrame frame;
  SegmentGrid grid;
  std::string packed;
  Points points;
  int regions = 0;  // checked
};

JpegSpec SpecOf(std::uint32_t kind) {
  JpegSpec spec{.width = 330, .height = 180};
  spec.color = kind == 0 ? JpegColor::kGray : JpegColor::kYcc;
  spec.across = kind == 1 ? 2 : 1;
  spec.down = kind == 1 || kind == 2 ? 2 : 1;
  spec.seed = 40 + kind;
  spec.noise = 60;
  spec.restart_rows = kind == 3 ? 1 : 0;
  spec.restart_mcus = kind == 2 ? 5 : 0;
  return spec;
}
constexpr std::uint32_t kKinds = 5;

// Points that ascend still, so that they can be packed.
Points Spoil(const Points& points, Random& random) {
  Points spoiled = points;
  for (std::size_t n = 1 + random() % 3; n > 0; --n) {
    const std::size_t i = 1 + random() % (points.size() - 1);
    EntryPoint& point = spoiled[i];
    if (random() % 2 == 0) {
      point.dc[random() % 3] ^= static_cast<std::int16_t>(1 << random() % 11);
      continue;
    }
    const std::uint64_t before = spoiled[i - 1].bit;
    const std::uint64_t behind =
        i + 1 < points.size() ? spoiled[i + 1].bit : point.bit + 16;
    const std::uint64_t moved = point.bit + random() % 65 - 32;
    if (moved > before && moved < behind) point.bit = moved;
  }
  return spoiled;
}

}  // namespace

TEST_CASE("points of another image, or quality, change no pixel of a JPEG",
          "[jpeg][corruption]") {
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    JpegSpec spec = SpecOf(kind);
    Fixture fixture(MakeJpeg(spec));
    CHECK(fixture.FaultOfWhole(fixture.packed) == "");
    std::vector<JpegSpec> others(4, spec);
    others[0].seed += 100;
    others[1].quality -= 1;
    others[2].optimize = true;
    others[3].height += 1;
    for (std::size_t i = 0; i < others.size(); ++i) {
      CAPTURE(kind, i);
      const std::string jpeg = MakeJpeg(others[i]);
      fixture.Check(EntryPointsOf(AsBytes(jpeg)), kind);
    }
  }
}

TEST_CASE("shifted points change no pixel of a whole JPEG",
          "[jpeg][corruption]") {
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    Fixture fixture(MakeJpeg(SpecOf(kind)));
    const Points& points = fixture.points;
    // Points move by whole segments, restart intervals and rows; the last ones
    // stand close.
    for (const std::size_t by : {1u, 2u, 4u, 6u, 8u, 12u, 48u, 96u}) {
      CAPTURE(kind, by);
      for (std::size_t from = 1; from + by + 1 < points.size(); from += 7) {
        Points shifted = points;
        std::copy(points.begin() + static_cast<std::ptrdiff_t>(from + by),
                  points.end(),
                  shifted.begin() + static_cast<std::ptrdiff_t>(from));
        const std::size_t left = points.size() - by;
        for (std::size_t i = left; i < points.size(); ++i) {
          shifted[i].bit = shifted[i - 1].bit + 1;
        }
        CHECK(fixture.FaultOfWhole(fixture.Pack(shifted)) == "");
      }
    }
  }
}

TEST_CASE("moved points and other predictors change no pixel behind right ones",
          "[jpeg][corruption]") {
  Random random(1);
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    Fixture fixture(MakeJpeg(SpecOf(kind)));
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      CAPTURE(kind, round);
      fixture.Check(fixture.Pack(Spoil(fixture.points, random)), round);
    }
    CHECK(fixture.regions > static_cast<int>(kRounds));
  }
}

TEST_CASE("the very next bit is no place for a segment to begin",
          "[jpeg][corruption]") {
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    Fixture fixture(MakeJpeg(SpecOf(kind)));
    for (std::size_t i = 1; i < fixture.points.size(); ++i) {
      for (const int by : {-1, 1, 8}) {
        CAPTURE(kind, i, by);
        Points moved = fixture.points;
        moved[i].bit += static_cast<std::uint64_t>(by);
        if (i + 1 < moved.size() && moved[i].bit >= moved[i + 1].bit) continue;
        if (moved[i].bit <= moved[i - 1].bit) continue;
        CHECK(fixture.FaultOfWhole(fixture.Pack(moved)) == "");
      }
    }
  }
}

TEST_CASE(
    "compact forms with flipped bits or cut change no pixel behind right "
    "points",
    "[jpeg][corruption]") {
  Random random(2);
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    Fixture fixture(MakeJpeg(SpecOf(kind)));
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      CAPTURE(kind, round);
      std::string wrong = fixture.packed;
      for (std::size_t n = random() % 3 + (round % 4 == 0 ? 0 : 1); n > 0;
           --n) {
        const std::size_t bit = random() % (8 * wrong.size());
        wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ 1 << bit % 8);
      }
      if (round % 4 == 0) wrong.resize(random() % wrong.size());
      fixture.Check(wrong, round);
    }
    CHECK(fixture.regions > static_cast<int>(kRounds));
  }
}

TEST_CASE("any bytes for entry points leave the pixels alone",
          "[jpeg][corruption]") {
  Random random(3);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    Fixture fixture(MakeVariedJpeg(9000 + round % 40));
    std::string wrong(1 + random() % (2 * fixture.packed.size()), '\0');
    for (char& byte : wrong) byte = static_cast<char>(random());
    CHECK(fixture.FaultOfWhole(wrong) == "");
  }
}

}  // namespace shardine::wrong_points_test
