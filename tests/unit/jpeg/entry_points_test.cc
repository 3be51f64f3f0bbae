#include "jpeg/entry_points.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace shardine::entry_points_test {
namespace {

using namespace std::string_literals;

struct Scene {
  JpegFrame frame;
  SegmentGrid grid;
  std::vector<EntryPoint> points;
  std::size_t bytes = 0;
};

// Any points that obey the rules; `reach` of the distances and DC values.
Scene MakeScene(std::uint32_t components, std::uint32_t interval,
                std::uint32_t reach) {
  Scene scene;
  scene.frame.components = components;
  scene.frame.mcus_across = 21;
  scene.frame.mcus_down = 6;
  scene.frame.restart_interval = interval;
  scene.frame.scan = 623;
  scene.grid.Reset(scene.frame);
  std::vector<Segment> segments;
  for (std::uint32_t y = 0; y < 6; ++y) {
    scene.grid.FindInRow(y, 0, 21, segments);
  }
  std::mt19937 random(interval);
  std::uint64_t bit = 8 * scene.frame.scan;
  for (const Segment& segment : segments) {
    EntryPoint point;
    point.bit = bit;
    const bool fresh = segment.restarts || scene.points.empty();
    for (std::size_t c = 0; c < components && !fresh; ++c) {
      point.dc[c] = static_cast<std::int16_t>(random() % reach);
    }
    scene.points.push_back(point);
    bit += 1 + random() % reach;
  }
  scene.bytes = static_cast<std::size_t>(bit / 8 + 1);
  return scene;
}

std::string Pack(const Scene& scene) {
  return PackEntryPoints(scene.frame, scene.grid, scene.points);
}

bool Unpack(const Scene& scene, const std::string& packed, std::size_t count,
            std::vector<EntryPoint>& points) {
  return UnpackEntryPoints(AsBytes(packed), scene.frame, scene.grid,
                           scene.bytes, count, points);
}

bool Unpacks(const Scene& scene, const std::string& packed) {
  std::vector<EntryPoint> points;
  return Unpack(scene, packed, scene.grid.size(), points);
}

}  // namespace

TEST_CASE("entry points come back from the compact form", "[jpeg]") {
  for (const std::uint32_t components : {1u, 3u}) {
    for (const std::uint32_t interval : {0u, 1u, 5u, 21u, 50u}) {
      for (const std::uint32_t reach : {1u, 60u, 3000u, 65536u, 20000000u}) {
        CAPTURE(components, interval, reach);
        const Scene scene = MakeScene(components, interval, reach);
        const std::string packed = Pack(scene);
        for (std::size_t count = 0; count <= scene.grid.size(); ++count) {
          std::vector<EntryPoint> points(3);
          REQUIRE(Unpack(scene, packed, count, points));
          REQUIRE(points == std::vector<EntryPoint>(
                                scene.points.begin(),
                                scene.points.begin() +
                                    static_cast<std::ptrdiff_t>(count)));
        }
      }
    }
  }
}

TEST_CASE("an image of one segment has orders and no codes", "[jpeg]") {
  Scene scene = MakeScene(3, 0, 60);
  scene.frame.mcus_across = 8;
  scene.frame.mcus_down = 1;
  scene.grid.Reset(scene.frame);
  scene.points.resize(1);
  CHECK(Pack(scene) == "\0\0"s);
  CHECK(Unpacks(scene, "\0\0"s));
  CHECK_FALSE(Unpacks(scene, "\0\0\0"s));
  CHECK_FALSE(Unpacks(scene, "\0"s));
}

TEST_CASE("points that are alike take few bits", "[jpeg]") {
  Scene scene = MakeScene(3, 0, 60);
  for (std::size_t i = 0; i < scene.points.size(); ++i) {
    scene.points[i].bit = 8 * scene.frame.scan + 2000 * i;
    scene.points[i].dc = {};
  }
  scene.bytes = 10000;
  // Orders are chosen for the mean, which the two distances that have nothing
  // like them before or above make larger than most are.
  CHECK(Pack(scene).size() < 2 * scene.points.size());
  CHECK(Unpacks(scene, Pack(scene)));
}

TEST_CASE("points that no file can have are refused", "[jpeg][corruption]") {
  Scene scene = MakeScene(3, 0, 3000);
  const std::string packed = Pack(scene);
  REQUIRE(Unpacks(scene, packed));
  CHECK_FALSE(Unpacks(scene, packed + "\0"s));
  CHECK_FALSE(Unpacks(scene, packed.substr(0, packed.size() - 1)));
  CHECK_FALSE(Unpacks(scene, ""));
  scene.bytes = static_cast<std::size_t>(scene.points.back().bit / 8);
  CHECK_FALSE(Unpacks(scene, packed));
  ++scene.bytes;
  CHECK(Unpacks(scene, packed));
  Scene level = scene;
  level.points[5].bit = level.points[4].bit;
  CHECK_FALSE(Unpacks(level, Pack(level)));
  Scene back = scene;
  back.points[5].bit = back.points[3].bit;
  CHECK_FALSE(Unpacks(back, Pack(back)));
}

TEST_CASE("a predictor beyond 16 bits is refused", "[jpeg][corruption]") {
  Scene scene = MakeScene(1, 0, 1);
  scene.points[1].dc[0] = 32767;
  scene.points[2].dc[0] = 32767;
  const std::string packed = Pack(scene);
  REQUIRE(Unpacks(scene, packed));
  // The points of the second row are told from those of the first: a flipped
  // bit can make one more than the most of them.
  int refused = 0;
  for (std::size_t bit = 8; bit < packed.size() * 8; ++bit) {
    std::string flipped = packed;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 0x80 >> bit % 8);
    std::vector<EntryPoint> points;
    if (!Unpack(scene, flipped, scene.grid.size(), points)) ++refused;
  }
  CHECK(refused > 0);
}

TEST_CASE("damaged compact forms unpack to ascending points or not at all",
          "[jpeg][corruption]") {
  std::mt19937 random(3);
  int unpacked = 0;
  for (int i = 0; i < 30000; ++i) {
    const Scene scene = MakeScene(i % 2 == 0 ? 1 : 3, i % 3 == 0 ? 5 : 0, 900);
    std::string packed = Pack(scene);
    for (std::size_t k = random() % 4; k > 0; --k) {
      packed[random() % packed.size()] = static_cast<char>(random() % 256);
    }
    if (i % 7 == 0) packed.resize(random() % packed.size());
    const std::size_t count = random() % (scene.grid.size() + 1);
    std::vector<EntryPoint> points;
    if (!Unpack(scene, packed, count, points)) continue;
    ++unpacked;
    REQUIRE(points.size() == count);
    for (std::size_t p = 0; p < count; ++p) {
      REQUIRE(points[p].bit < 8 * scene.bytes);
      if (p > 0) REQUIRE(points[p].bit > points[p - 1].bit);
    }
  }
  CHECK(unpacked > 1000);
}

}  // namespace shardine::entry_points_test
