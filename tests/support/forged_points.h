// Entry points that no scan of an image yields, and datasets that have them.
// All checksums are right, up to the manifest, as in a real forgery.
#ifndef SHARDINE_TESTS_SUPPORT_FORGED_POINTS_H_
#define SHARDINE_TESTS_SUPPORT_FORGED_POINTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "io/storage.h"
#include "jpeg/segment_grid.h"
#include "shardine/status.h"

namespace shardine {

// The compact form of points of a gray JPEG with a restart marker before each
// MCU, which has nothing but places: point i + 1 lies distances[i] bits after
// point i, whatever that adds up to modulo 2^64. REQUIRES: a distance differs
// from the one above it, or before it in the first row, by less than 2^34.
std::string PackDistances(const std::vector<std::uint64_t>& distances,
                          std::size_t per_row);

// Distances of points that leave the file before the region's first one and
// come back into it, by way of 2^64, with the last that the region needs.
struct Detour {
  std::uint64_t first_bit = 0;  // of the scan
  std::uint64_t outside = 0;    // bit at which point `leaves` lies
  std::uint64_t last_bit = 0;   // of the last point
  std::size_t leaves = 0;       // its number; in the first row
  std::size_t stays_until = 0;  // up to this point they are a bit apart
  std::size_t per_row = 0;
  std::size_t points = 0;
};
std::vector<std::uint64_t> DistancesOf(const Detour& detour);

// The points of a JPEG with `by` added to the DC predictor of luma of all but
// the first: consistent but for one edge. REQUIRES: it can have points.
std::string ShiftedPoints(ByteView jpeg, std::int16_t by);

// Replaces each sample's points, in all shards of a dataset, by the result of
// `forge` on its key and its points.
using PointForger =
    std::function<std::string(const std::string& key, std::string packed)>;
Status ForgeEntryPoints(Storage& storage, const std::string& dataset,
                        const PointForger& forge);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_FORGED_POINTS_H_
