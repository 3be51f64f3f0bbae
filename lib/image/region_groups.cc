#include "image/region_groups.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace shardine {
namespace {

std::int64_t Area(const Region& region) {
  return std::int64_t{region.width} * region.height;
}

}  // namespace

Region BoundsOf(const Region& a, const Region& b) {
  const std::uint32_t x = std::min(a.x, b.x);
  const std::uint32_t y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x,
          std::max(a.y + a.height, b.y + b.height) - y};
}

std::vector<RegionGroup> GroupRegions(std::span<const Region> regions) {
  std::vector<RegionGroup> groups;
  groups.reserve(regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    groups.push_back({regions[i], {i}});
  }
  // All pairs are compared to find the best: views are only a handful.
  while (groups.size() > 1) {
    std::int64_t most = -1;
    std::pair<std::size_t, std::size_t> best;
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) {
        const Region &first = groups[a].bounds, &second = groups[b].bounds;
        const std::int64_t saved =
            Area(first) + Area(second) - Area(BoundsOf(first, second));
        if (saved > most) {
          most = saved;
          best = {a, b};
        }
      }
    }
    if (most < 0) break;
    RegionGroup& kept = groups[best.first];
    const RegionGroup joined = std::move(groups[best.second]);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best.second));
    kept.bounds = BoundsOf(kept.bounds, joined.bounds);
    kept.members.insert(kept.members.end(), joined.members.begin(),
                        joined.members.end());
  }
  return groups;
}

}  // namespace shardine
