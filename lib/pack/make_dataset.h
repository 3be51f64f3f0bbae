// From a plan to its datasets: what pack, resize and convert have in common
// once it is decided what goes where. Writes the shards that an interrupted run
// did not finish, then the manifests.
#ifndef SHARDINE_PACK_MAKE_DATASET_H_
#define SHARDINE_PACK_MAKE_DATASET_H_

#include <cstdint>
#include <stop_token>
#include <string>

#include "io/storage.h"
#include "pack/block.h"
#include "pack/dataset_plan.h"
#include "shardine/pack.h"
#include "shardine/status.h"

namespace shardine {

struct MakeOptions {
  std::string output;
  OnBad on_bad = OnBad::kFail;
  unsigned threads = 0;
  std::uint64_t made_per_sample = 0;  // bytes to expect beside the source's
};

// Nothing is done for an output that is complete with this very plan. Failures
// as those of Pack() (shardine/pack.h), beside those of `preparer`.
Result<PackResult> MakeDataset(Storage& storage, const DatasetPlan& planned,
                               const BlockPreparer& preparer,
                               const MakeOptions& options,
                               const ProgressFunction& progress,
                               const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_PACK_MAKE_DATASET_H_
