// The ranges of a file to ask a server for, so that its pieces come with few
// requests and few unwanted bytes.
#ifndef SHARDINE_IO_RANGE_PLAN_H_
#define SHARDINE_IO_RANGE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/read_many.h"
#include "remote/http_request.h"

namespace shardine {

struct RangeLimits {
  std::uint64_t gap = 64 << 10;  // bytes in between that are read and dropped
  std::uint64_t size = 8 << 20;  // of one range
};

struct PlannedRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
  std::vector<BodySegment> segments;  // in order, apart from each other
  std::vector<std::size_t> pieces;    // whose they are, in the same order
};

// Pieces of any order, which may overlap; each byte of each is in exactly one
// segment. Empty pieces are in none.
std::vector<PlannedRange> PlanRanges(std::span<const Piece> pieces,
                                     const RangeLimits& limits = {});

}  // namespace shardine

#endif  // SHARDINE_IO_RANGE_PLAN_H_
