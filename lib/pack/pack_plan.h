// From PackOptions to a ShardPlan: all that a pack decides before it reads an
// image.
#ifndef SHARDINE_PACK_PACK_PLAN_H_
#define SHARDINE_PACK_PACK_PLAN_H_

#include <string>
#include <vector>

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pack/dataset_plan.h"
#include "shardine/pack.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// kInvalidArgument, kNotFound, kIo: the sources or options. kUnsupported: the
// format cannot hold a sample's labels, or (under OnBad::kFail) its bytes.
// kCorrupt: the source holds files that cannot be read, under OnBad::kFail.
Result<DatasetPlan> MakePackPlan(ReadableStorage& sources,
                                 const OutputFolder& output,
                                 const PackOptions& options,
                                 const FormatRegistry& formats);

// What to tell the user about a plan.
PackPlan DescribePlan(const OutputFolder& output, const DatasetPlan& planned,
                      const PackOptions& options);

// With sizes to make, a check costs nothing beside the decoding.
ImageCheckLevel EffectiveCheck(const PackOptions& options);

}  // namespace shardine

#endif  // SHARDINE_PACK_PACK_PLAN_H_
