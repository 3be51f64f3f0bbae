// ShardNotes: what is known of a shard's samples only while they are read, and
// is needed when all shards are there. Kept in OUT/.pack until then, so that a
// resumed run ends as an undisturbed one.
#ifndef SHARDINE_PACK_SHARD_NOTES_H_
#define SHARDINE_PACK_SHARD_NOTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "io/storage.h"
#include "pack/dataset_plan.h"
#include "pack/rejects.h"
#include "shardine/digest.h"
#include "shardine/pack.h"
#include "shardine/status.h"

namespace shardine {

struct SizeCounts {
  std::uint64_t upscaled = 0;
  std::uint64_t kept = 0;

  friend bool operator==(const SizeCounts&, const SizeCounts&) = default;
};

struct ShardNotes {
  std::vector<Reject> rejects;  // in order
  // The rest for plans with sizes only.
  Digest128 source_digest;  // sum over the packed samples, as they were read
  std::vector<SizeCounts> sizes;  // by short side

  friend bool operator==(const ShardNotes&, const ShardNotes&) = default;
};

// OUT/.pack/<shard>.rejected and, with sizes, OUT/.pack/<shard>.sizes.
Status SaveShardNotes(Storage& storage, const std::string& output,
                      const std::string& shard, const ShardNotes& notes);

// The sum over all shards, which are all noted; rejects in plan order, those
// kept by the source and those found by its scan in front.
Result<ShardNotes> CollectNotes(Storage& storage, const std::string& output,
                                const DatasetPlan& planned, OnBad on_bad);

}  // namespace shardine

#endif  // SHARDINE_PACK_SHARD_NOTES_H_
