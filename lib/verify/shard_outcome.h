// ShardOutcome: the result of verifying one shard, and all that the
// verification of its dataset needs of it.
#ifndef SHARDINE_VERIFY_SHARD_OUTCOME_H_
#define SHARDINE_VERIFY_SHARD_OUTCOME_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataset/content_counts.h"
#include "shard/entry_point_file.h"
#include "shardine/digest.h"
#include "shardine/status.h"

namespace shardine {

// The terms of the shard's samples in the digests of their split, by the
// sidecar; of all samples only if there are no findings.
struct ShardSums {
  Digest128 content;
  Digest128 names;
  Digest128 bindings;
  ContentCounts counts;
  std::vector<std::uint64_t> ids;  // in order
  EntryPointCounts entry_points;
};

struct ShardOutcome {
  std::vector<Status> findings;  // in the order of the shard
  ShardSums sums;
  // Bad images that were kept when they were packed, by reason.
  std::map<std::string, std::uint64_t> kept;
  // A server gave other bytes at first.
  bool came_wrong = false;
  std::uint64_t samples = 0;  // looked at
  std::uint64_t bytes = 0;    // of them
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_SHARD_OUTCOME_H_
