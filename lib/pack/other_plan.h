// The refusal with exit 7: the contents of an output folder were made by
// another plan than the one that is asked for, and the differences of the two.
#ifndef SHARDINE_PACK_OTHER_PLAN_H_
#define SHARDINE_PACK_OTHER_PLAN_H_

#include <string>

#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "shardine/status.h"

namespace shardine {

// kChanged, of a complete dataset in `folder`, which the plan's `variant` was
// to go to.
Status RefuseOtherDataset(const OutputFolder& folder, const Manifest& manifest,
                          const DatasetPlan& planned,
                          const PlannedVariant& variant);

}  // namespace shardine

#endif  // SHARDINE_PACK_OTHER_PLAN_H_
