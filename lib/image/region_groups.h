// GroupRegions: which regions of an image to decode together.
#ifndef SHARDINE_IMAGE_REGION_GROUPS_H_
#define SHARDINE_IMAGE_REGION_GROUPS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "base/geometry.h"

namespace shardine {

struct RegionGroup {
  Region bounds;                     // the decoded region
  std::vector<std::size_t> members;  // of the regions, by number
};

// Each region is in one group. Two groups are joined, those first that have
// most pixels in common, as long as their common bounds have no more pixels
// than both together.
std::vector<RegionGroup> GroupRegions(std::span<const Region> regions);

// The smallest region that has the pixels of both. REQUIRES: neither is empty.
Region BoundsOf(const Region& a, const Region& b);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_REGION_GROUPS_H_
