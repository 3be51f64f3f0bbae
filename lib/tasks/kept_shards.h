// KeptShards: the shards of one split of a KeptPlan, for a dataset that is
// loaded while they are made: by this process or by others.
#ifndef SHARDINE_TASKS_KEPT_SHARDS_H_
#define SHARDINE_TASKS_KEPT_SHARDS_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/awaited_shards.h"
#include "dataset/manifest.h"
#include "dataset/opened_source.h"
#include "pack/image_policy.h"
#include "pack/tree_block.h"
#include "shard/row_pages.h"
#include "shardine/status.h"
#include "tasks/kept_plan.h"
#include "tasks/shard_turns.h"
#include "tasks/task_folder.h"

namespace shardine {

// Thread-safe.
class KeptShards : public AwaitedShards {
 public:
  // `split` is one of the plan's source. Shards that samples are read of before
  // they are made are wanted of `turns`.
  static Result<std::shared_ptr<KeptShards>> Open(
      std::shared_ptr<const KeptPlan> plan, std::uint32_t split,
      std::shared_ptr<ShardTurns> turns);

  // The dataset of these shards, which shares them.
  static OpenedSource SourceOf(std::shared_ptr<KeptShards> shards);

  // Whether the task of a shard, by its number in the plan, is done; looks at
  // the disk unless that is known.
  bool IsDone(std::size_t number) const;
  // The manifests are there.
  void SetAllDone() const;

  bool IsMade(std::size_t shard) const override;
  void Want(std::size_t shard, std::span<const std::uint64_t> records,
            AheadBytes& ahead) const override;
  Status Read(std::size_t shard, std::uint64_t record,
              SampleRead& sample) const override;
  Status AddLabels(std::size_t shard, std::uint64_t first, std::uint64_t count,
                   std::vector<IndexEntry>& entries) const override;
  Status Keys(std::size_t shard, std::uint64_t first, std::uint64_t count,
              std::vector<std::string>& keys) const override;

 private:
  struct Seen {
    std::atomic<bool> done = false;
    std::atomic<std::int64_t> next_look = 0;  // milliseconds, steady
  };

  KeptShards(std::shared_ptr<const KeptPlan> plan, std::uint32_t split,
             std::shared_ptr<ShardTurns> turns, TaskFolder folder);
  const PlannedShard& PlannedOf(std::size_t shard) const;
  std::size_t SampleOf(std::size_t shard, std::uint64_t record) const;
  Result<PooledShard> OpenMade(std::size_t shard) const;
  Result<PooledShard> OpenNoted(const ManifestShard& shard) const;
  Result<PooledShard> OpenFinished(std::size_t shard) const;

  const std::shared_ptr<const KeptPlan> plan_;
  const std::uint32_t split_;
  const std::shared_ptr<ShardTurns> turns_;
  const TaskFolder folder_;
  const ImagePolicy policy_;
  const TreeBlockPreparer preparer_;
  const std::shared_ptr<PageCache> pages_ = std::make_shared<PageCache>();
  std::size_t first_ = 0;  // shard of the split in the plan
  std::size_t count_ = 0;
  mutable std::vector<Seen> seen_;  // of all shards of the plan

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable std::map<std::size_t, ManifestShard> noted_;  // by number in the plan
  mutable std::optional<OpenedSource> finished_;
};

}  // namespace shardine

#endif  // SHARDINE_TASKS_KEPT_SHARDS_H_
