// Which regions are decoded together.

#include "image/region_groups.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace shardine::region_groups_test {
namespace {

std::uint64_t Area(const Region& region) {
  return std::uint64_t{region.width} * region.height;
}

bool Has(const Region& outer, const Region& inner) {
  return BoundsOf(outer, inner) == outer;
}

TEST_CASE("Regions that lie in each other are decoded together",
          "[region_groups]") {
  const std::vector<Region> regions{
      {0, 0, 100, 80}, {10, 20, 30, 30}, {50, 0, 50, 80}};
  const auto groups = GroupRegions(regions);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].bounds == Region{0, 0, 100, 80});
  CHECK(groups[0].members.size() == 3);
}

TEST_CASE("Regions far apart are decoded each", "[region_groups]") {
  const std::vector<Region> regions{{0, 0, 10, 10}, {90, 90, 10, 10}};
  const auto groups = GroupRegions(regions);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].bounds == regions[0]);
  CHECK(groups[1].bounds == regions[1]);
}

TEST_CASE("One region is one group, and none is none", "[region_groups]") {
  const std::vector<Region> one{{3, 4, 5, 6}};
  REQUIRE(GroupRegions(one).size() == 1);
  CHECK(GroupRegions(one)[0].bounds == one[0]);
  CHECK(GroupRegions({}).empty());
}

TEST_CASE("Groups never decode more than regions by themselves",
          "[region_groups]") {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t end) {
    return static_cast<std::uint32_t>(random() % end);
  };
  for (int round = 0; round < 2'000; ++round) {
    std::vector<Region> regions(1 + random() % 9);
    std::uint64_t alone = 0;
    for (Region& region : regions) {
      region = {below(300), below(200), 1 + below(300), 1 + below(200)};
      alone += Area(region);
    }
    std::vector<int> seen(regions.size(), 0);
    std::uint64_t together = 0;
    for (const RegionGroup& group : GroupRegions(regions)) {
      together += Area(group.bounds);
      for (const std::size_t member : group.members) {
        ++seen[member];
        REQUIRE(Has(group.bounds, regions[member]));
      }
    }
    REQUIRE(together <= alone);
    REQUIRE(seen == std::vector<int>(regions.size(), 1));
  }
}

}  // namespace
}  // namespace shardine::region_groups_test
