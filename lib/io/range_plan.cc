#include "io/range_plan.h"

#include <algorithm>
#include <numeric>

namespace shardine {
namespace {

// Whether `range` can go on with bytes that begin at `offset`.
bool Joins(const PlannedRange& range, std::uint64_t offset, std::uint64_t size,
           const RangeLimits& limits) {
  const std::uint64_t end = range.first + range.size;
  // Bytes that are asked for twice are read twice: segments are apart.
  return offset >= end && offset - end <= limits.gap &&
         offset - range.first + size <= limits.size;
}

}  // namespace

std::vector<PlannedRange> PlanRanges(std::span<const Piece> pieces,
                                     const RangeLimits& limits) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return pieces[i].offset; });
  std::vector<PlannedRange> ranges;
  for (const std::size_t i : order) {
    const Piece& piece = pieces[i];
    for (std::uint64_t at = 0; at < piece.out.size();) {
      const std::uint64_t size =
          std::min<std::uint64_t>(piece.out.size() - at, limits.size);
      const std::uint64_t offset = piece.offset + at;
      if (ranges.empty() || !Joins(ranges.back(), offset, size, limits)) {
        ranges.push_back({.first = offset, .segments = {}, .pieces = {}});
      }
      PlannedRange& range = ranges.back();
      range.segments.push_back({offset, piece.out.subspan(at, size)});
      range.pieces.push_back(i);
      range.size = offset + size - range.first;
      at += size;
    }
  }
  return ranges;
}

}  // namespace shardine
