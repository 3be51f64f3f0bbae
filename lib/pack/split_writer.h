// SplitWriter: the samples of one split, as they come, become shards in a
// staging folder, each read back at its end. Their number, and so their names,
// are known only after the last.
#ifndef SHARDINE_PACK_SPLIT_WRITER_H_
#define SHARDINE_PACK_SPLIT_WRITER_H_

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "pack/new_sample.h"
#include "pack/shard_finisher.h"
#include "shard/format_registry.h"
#include "shardine/digest.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// The values that all splits of a dataset share.
struct StagedWork {
  OutputFolder folder;  // that shards are staged in
  FormatAndLayout format;
  ClassMap classes;
  EntryPoints entry_points = EntryPoints::kNone;
  std::uint64_t shard_bytes = 0;
  std::uint64_t shard_samples = 0;    // 0: any number
  std::string fingerprint;            // of all that decides bytes but samples
  PlannedVariant variant = {};        // the original
  ShardFinisher* finisher = nullptr;  // of all splits; null: Append() waits
};

struct StagedShard {
  std::string name;  // "train-00000.rec"
  std::uint64_t samples = 0;
  Digest128 digest;  // of its part of the plan
};

// Thread-compatible.
class SplitWriter {
 public:
  // `work` must outlive it.
  SplitWriter(const StagedWork& work, std::string split);
  ~SplitWriter();
  SplitWriter(SplitWriter&&) noexcept;
  SplitWriter& operator=(SplitWriter&&) = delete;

  // kInvalidArgument: the shard has a sample of this key, or the split has
  // 99,999 shards. After a failure it can only be destroyed.
  Status Append(const CheckedSample& checked, const std::stop_token& stop);
  // Ends the shard that is begun, if one is; a finisher, if there is one,
  // publishes it and may fail later.
  Status EndShard(const std::stop_token& stop);

  // How many bytes EndShard() may write, rather too many: those not on the disk
  // yet, and the files beside the shard.
  std::uint64_t BytesToEndShard() const;

  // Shards that ended; with a finisher, the last one as soon as it has
  // finished.
  const std::vector<StagedShard>& shards() const { return shards_; }

 private:
  struct OpenShard;
  Status BeginShard();

  const StagedWork& work_;
  std::string split_;
  std::unique_ptr<OpenShard> open_;  // null between shards
  std::vector<StagedShard> shards_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_SPLIT_WRITER_H_
