// Leftovers of earlier runs in OUT: shards that are finished, and shards that
// have to go because they are made again, or because the plan no longer has
// them.
#ifndef SHARDINE_PACK_LEFTOVERS_H_
#define SHARDINE_PACK_LEFTOVERS_H_

#include <list>
#include <stop_token>
#include <vector>

#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "pack/output_state.h"
#include "pack/pack_pipeline.h"
#include "pack/shard_publisher.h"
#include "shardine/status.h"

namespace shardine {

// Where one run stands before it writes.
struct LeftoversOf {
  const OutputFolder& output;
  const DatasetPlan& planned;
  const Judgement& judged;
  OutputState& state;                           // learns of files taken back
  bool resumed;                                 // the journal was there
  const std::list<ShardPublisher>& publishers;  // of the plan's variants
};

// The shards that are still to be made, and in which variants without a
// manifest; of these nothing is left in OUT then. Manifests of this work that
// are outdated, or turn out to lack a shard, are taken back; nothing else of a
// complete variant is touched. REQUIRES: the journal is
// held.
//
// kAlreadyExists, naming the file, and nothing was removed: something that
// would have to go is not shown to be ours. kCancelled: stopped, likewise.
Result<std::vector<ShardWork>> ClearLeftovers(const LeftoversOf& run,
                                              const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_PACK_LEFTOVERS_H_
