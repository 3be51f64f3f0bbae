// The shard plan: which sample goes where. A pure function of the sources, the
// options and the seed, made before a byte moves; it never depends on paths,
// times or thread counts, and its digest names the work.
#ifndef SHARDINE_SOURCE_SHARD_PLAN_H_
#define SHARDINE_SOURCE_SHARD_PLAN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "shardine/digest.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

struct ShardPlanOptions {
  std::uint64_t shards = 0;  // per split; 0: ceil(bytes / shard_bytes)
  std::uint64_t shard_bytes = 256ull << 20;
  std::uint64_t seed = 0;
  bool shuffle = true;
  // Samples of each shard, per split of the source; a split without any is cut
  // by the numbers above. REQUIRES: none is zero; they sum to the samples.
  std::vector<std::vector<std::uint64_t>> shard_samples = {};
  std::string suffix;  // ".rec"
  // Everything else that decides the bytes: format, policies, version.
  std::string fingerprint;
};

inline constexpr std::uint64_t kMaxShards = 99'999;  // five digits in a name

// "train-00003-of-00008.rec".
std::string ShardName(const std::string& split, std::uint64_t number,
                      std::uint64_t count, std::string_view suffix);
// True for names of that form with that suffix.
bool IsShardName(std::string_view name, std::string_view suffix);

// A shard holds the positions [first, first + count) of its split.
struct PlannedShard {
  std::string name;  // "train-00000-of-00008.rec"
  std::uint32_t split = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  // The digest of all that decides its bytes: fingerprint, classes, and (id,
  // key, labels, boxes, size) of its samples in order. Equal in another plan:
  // the same shard, whatever became of the other samples.
  Digest128 digest = {};
  // In a part of a plan: where its samples begin in the list, which has them in
  // the order of the shard.
  std::optional<std::uint64_t> listed_at = {};
};

// Immutable once made, so thread-safe.
class ShardPlan {
 public:
  // kInvalidArgument: no samples at all, more than 2^32 of them, or more than
  // 99,999 shards in a split.
  static Result<ShardPlan> Make(SourceSet source,
                                const ShardPlanOptions& options);
  // Some shards of a plan with this digest that was made before, by the same
  // fingerprint. `source` has the samples of the first of them, in order, then
  // those of the next. kCorrupt, naming the shard: its digest belongs to other
  // samples.
  static Result<ShardPlan> Part(SourceSet source,
                                std::vector<PlannedShard> shards,
                                const std::string& fingerprint,
                                const Digest128& digest);
  // The shards of such a plan without the samples, which `source` has not.
  static ShardPlan Outline(SourceSet source, std::vector<PlannedShard> shards,
                           const Digest128& digest);

  const SourceSet& source() const { return source_; }
  // For another plan of the same samples.
  static SourceSet SourceOf(ShardPlan plan) { return std::move(plan.source_); }
  const std::vector<PlannedShard>& shards() const { return shards_; }
  const Digest128& digest() const { return digest_; }
  std::uint64_t bytes() const { return bytes_; }

  std::uint64_t split_samples(std::uint32_t split) const {
    return splits_[split].members.size();
  }
  std::uint64_t split_bytes(std::uint32_t split) const {
    return splits_[split].bytes;
  }

  // Index into source().samples of the sample at `offset` in the shard.
  // REQUIRES: offset < shard.count.
  std::size_t SampleAt(const PlannedShard& shard, std::uint64_t offset) const;

  // As ParallelFor() (pipeline/parallel_for.h) over the numbers of all shards,
  // with as many threads as their samples are worth.
  Status ForEachShard(const std::function<Status(std::size_t)>& work) const;

 private:
  struct Split {
    std::vector<std::uint32_t> members;  // in the order of the shards
    std::uint64_t bytes = 0;
  };

  ShardPlan() = default;

  void GatherSplits(const ShardPlanOptions& options);
  Result<std::vector<std::uint64_t>> CountsOf(
      std::uint32_t split, const ShardPlanOptions& options) const;
  Status CutShards(const ShardPlanOptions& options);
  void ComputeDigest(const ShardPlanOptions& options);
  Status ComputeShardDigests(const ShardPlanOptions& options);
  void HashSample(std::size_t index, std::vector<Label>& labels,
                  Xxh3Stream& hash) const;

  SourceSet source_;
  std::vector<Split> splits_;  // as source_.splits
  std::vector<PlannedShard> shards_;
  std::uint64_t bytes_ = 0;
  Digest128 digest_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SHARD_PLAN_H_
