// ShardNotes: facts of a shard's samples that are known only while they are
// read. They are needed when all shards are there, or by a run that is to keep
// the shard. Kept in OUT/.pack until then.
#ifndef SHARDINE_PACK_SHARD_NOTES_H_
#define SHARDINE_PACK_SHARD_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/rejects.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "shardine/digest.h"
#include "shardine/image_check.h"
#include "shardine/status.h"

namespace shardine {

struct SizeCounts {
  std::uint64_t upscaled = 0;
  std::uint64_t kept = 0;

  friend bool operator==(const SizeCounts&, const SizeCounts&) = default;
};

// Tells a file from another under its name.
struct NotedFile {
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;

  friend bool operator==(const NotedFile&, const NotedFile&) = default;
};
// A shard's files in the variants of a plan, by PlannedVariant::number.
using NotedFiles = std::map<std::size_t, NotedFile>;

struct ShardNotes {
  Digest128 part;  // PlannedShard::digest, which binds its sidecars
  // How its images were judged, and the facts of their files.
  Judgement judged;
  Digest128 facts;
  // The shard's file in each variant, as it was when it had got its name.
  NotedFiles files;
  std::vector<Reject> rejects;  // in order
  // The rest for plans with sizes only.
  Digest128 source_digest;  // sum over the packed samples, as they were read
  std::vector<SizeCounts> sizes;  // by short side

  friend bool operator==(const ShardNotes&, const ShardNotes&) = default;
};

// Over (size, mtime) of the shard's samples in order. Like times, it holds for
// this machine alone and goes into no dataset.
Digest128 FactsDigest(const ShardPlan& plan, const PlannedShard& shard);

// OUT/.pack/<shard>.rejected, if any are, then OUT/.pack/<shard>.notes.
// REQUIRES: files of the shard in OUT match these notes, or go first
// (pack/leftovers.h): a shard with a valid sidecar and notes is taken for one
// of them.
Status SaveShardNotes(const OutputFolder& output, const std::string& shard,
                      const ShardNotes& notes);

// Without rejects and sizes; tells only whether there are rejects. nullopt:
// none, or they are damaged.
struct NotedShard {
  Digest128 part;
  Judgement judged;
  Digest128 facts;
  bool has_rejects = false;
  NotedFiles files;

  // nullopt: not noted.
  std::optional<NotedFile> FactsOf(std::size_t variant) const;
};
Result<std::optional<NotedShard>> ReadShardNotes(const OutputFolder& output,
                                                 const std::string& shard);

// OUT/.pack/<shard>.notes, and the most bytes that such a file has: a larger
// file was not written here, and is not loaded to find that out.
std::string ShardNotesPath(const OutputFolder& output,
                           const std::string& shard);
inline constexpr std::uint64_t kMaxShardNotes = std::uint64_t{1} << 20;

// The names of the shards that have notes, sorted.
Result<std::vector<std::string>> ListNotedShards(const OutputFolder& output);
Status RemoveShardNotes(const OutputFolder& output, const std::string& shard);

// Adds the source digest and the counts of sizes that are noted of the shard.
// kCorrupt: those are no notes, or of another number of sizes.
Status AddShardSums(const OutputFolder& output, const std::string& shard,
                    ShardNotes& notes);

// The sum over all shards, which are all noted; rejects in plan order, those
// kept by the source and those found by its scan in front.
Result<ShardNotes> CollectNotes(const OutputFolder& output,
                                const DatasetPlan& planned, OnBad on_bad);

}  // namespace shardine

#endif  // SHARDINE_PACK_SHARD_NOTES_H_
