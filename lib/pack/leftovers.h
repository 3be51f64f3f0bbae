// What earlier runs left in OUT: shards that are finished, and shards that have
// to go because they are made again, or because the plan no longer has them.
#ifndef SHARDINE_PACK_LEFTOVERS_H_
#define SHARDINE_PACK_LEFTOVERS_H_

#include <list>
#include <optional>
#include <stop_token>
#include <vector>

#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "pack/pack_pipeline.h"
#include "pack/shard_publisher.h"
#include "shardine/status.h"

namespace shardine {

// Where one run stands before it writes.
struct LeftoversOf {
  const OutputFolder& output;
  const DatasetPlan& planned;
  const Judgement& judged;
  bool resumed;                                 // the journal was there
  const std::list<ShardPublisher>& publishers;  // of the plan's variants
};

// The shards that are still to be made, and in which variants; of these nothing
// is left in OUT then. Those of `complete`, the manifests of variants that have
// one, which turn out to lack a shard are removed, too. REQUIRES: the journal
// is held.
//
// kAlreadyExists, naming the file, and nothing was removed: something that
// would have to go is not shown to be ours. kCancelled: stopped, likewise.
Result<std::vector<ShardWork>> ClearLeftovers(
    const LeftoversOf& run, std::vector<std::optional<Manifest>>& complete,
    const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_PACK_LEFTOVERS_H_
