// ShardRestorer: makes the lost files of a complete variant again. A shard is
// written in OUT/.pack/again and compared with the manifest; only files that
// are lost get their names, and only with the manifest's bytes. ShardRestorers:
// those of all variants of a plan.
#ifndef SHARDINE_PACK_SHARD_RESTORER_H_
#define SHARDINE_PACK_SHARD_RESTORER_H_

#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "pack/output_state.h"
#include "pack/pack_pipeline.h"
#include "pack/shard_publisher.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. The state and the plan must outlive the object.
class ShardRestorer {
 public:
  // REQUIRES: the variant is complete.
  ShardRestorer(const OutputFolder& output, const DatasetPlan& planned,
                const PlannedVariant& variant, const VariantState& state);

  // Publishes a shard where it waits for Place().
  const ShardPublisher& publisher() const { return publisher_; }
  bool Lacks(const PlannedShard& shard) const;

  // Removes files that a killed run left to be compared. REQUIRES: the lock is
  // held.
  Status Begin() const;
  // Gives the lost files of a published shard their names. kChanged, naming the
  // file, and no file gets a name: its bytes are not those of the manifest.
  Status Place(const PlannedShard& shard) const;
  // Removes the folders, as far as nothing is in them.
  void End() const;

 private:
  const ManifestShard* Find(const PlannedShard& shard) const;
  Status PlaceFile(const ManifestFile& file) const;

  const OutputFolder folder_;
  const OutputFolder staging_;
  const DatasetPlan& planned_;
  std::map<std::string, const ManifestShard*> shards_;  // by path
  std::set<std::string> lost_;
  const ShardPublisher publisher_;
};

// Thread-compatible. The plan, which may be of some shards, and the state must
// outlive the object.
class ShardRestorers {
 public:
  ShardRestorers(const OutputFolder& output, const DatasetPlan& planned,
                 const OutputState& state);

  // Begins, and adds the shards of the plan that lack a file to `work`, which
  // is in the plan's order. REQUIRES: the lock is held.
  Status Begin(std::vector<ShardWork>& work) const;
  // Gives the lost files of a published shard their names.
  Status Place(const PlannedShard& shard) const;
  // Removes the folders, as far as nothing is in them.
  void End() const;

 private:
  const DatasetPlan& planned_;
  std::list<ShardRestorer> restorers_;  // work refers to their publishers
};

}  // namespace shardine

#endif  // SHARDINE_PACK_SHARD_RESTORER_H_
