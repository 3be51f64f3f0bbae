// What an output folder holds before a run: datasets of this plan, of another
// one, or none yet.
#ifndef SHARDINE_PACK_DATASET_STATE_H_
#define SHARDINE_PACK_DATASET_STATE_H_

#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

// The manifest of each variant of the plan that is complete, in their order.
// That of a variant which this command made, before its sources changed, counts
// as absent where other variants and the journal say that the command is
// unfinished.
//
// kChanged: a dataset in the output is of another plan, or no variant of this
// one, or its images were judged so that others may be in it.
// kInvalidArgument: the output is no folder.
Result<std::vector<std::optional<Manifest>>> FindComplete(
    const OutputFolder& output, const DatasetPlan& planned,
    const Judgement& judged);

// Removes, for good, the manifests of variants that are not `complete`, such as
// those that FindComplete() counted as absent. REQUIRES: the journal of this
// command is held.
Status RemoveOutdatedManifests(
    const OutputFolder& output, const DatasetPlan& planned,
    const std::vector<std::optional<Manifest>>& complete);

// What the manifests of all variants, in their order, say.
void FillResult(const DatasetPlan& planned,
                const std::vector<Manifest>& manifests, PackResult& result);

}  // namespace shardine

#endif  // SHARDINE_PACK_DATASET_STATE_H_
