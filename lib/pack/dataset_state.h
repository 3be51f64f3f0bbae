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
//
// kChanged: a dataset in the output is of another plan, or no variant of this
// one, or its images were judged so that others may be in it.
// kInvalidArgument: the output is no folder.
Result<std::vector<std::optional<Manifest>>> FindComplete(
    const OutputFolder& output, const DatasetPlan& planned,
    const Judgement& judged);

// What the manifests of all variants, in their order, say.
void FillResult(const DatasetPlan& planned,
                const std::vector<Manifest>& manifests, PackResult& result);

}  // namespace shardine

#endif  // SHARDINE_PACK_DATASET_STATE_H_
