// From PackOptions to a ShardPlan: all that a pack decides before it reads an
// image.
#ifndef SHARDINE_PACK_PACK_PLAN_H_
#define SHARDINE_PACK_PACK_PLAN_H_

#include <string>
#include <vector>

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pack/dataset_plan.h"
#include "pack/image_policy.h"
#include "shardine/pack.h"
#include "shardine/progress.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// kInvalidArgument, kNotFound, kIo: the sources or options. kUnsupported: the
// format cannot hold a sample's labels, or (under OnBad::kFail) its bytes.
// kCorrupt: the source holds files that cannot be read, under OnBad::kFail.
// `say` is Job::say.
Result<DatasetPlan> MakePackPlan(ReadableStorage& sources,
                                 const OutputFolder& output,
                                 const PackOptions& options,
                                 const FormatRegistry& formats,
                                 const SayFunction& say = {});

// Some shards of the plan that MakePackPlan() made of the same options, with
// this digest, of the samples that Part() (source/shard_plan.h) asks for; of
// `options` the source is not looked at. kCorrupt: as Part().
Result<DatasetPlan> MakePackPart(const PackOptions& options, SourceSet source,
                                 std::vector<PlannedShard> shards,
                                 const Digest128& digest,
                                 const FormatRegistry& formats);
// The same without samples: shards, variants and names alone.
Result<DatasetPlan> OutlinePackPlan(const PackOptions& options,
                                    SourceSet source,
                                    std::vector<PlannedShard> shards,
                                    const Digest128& digest,
                                    const FormatRegistry& formats);

// How a plan's images are judged and made.
ImagePolicy::Options PolicyOptions(const OutputFolder& output,
                                   const DatasetPlan& planned,
                                   const PackOptions& options);

// A plan in terms for the user.
PackPlan DescribePlan(const OutputFolder& output, const DatasetPlan& planned,
                      const PackOptions& options);

// The kinds of images that are good: those of the options, else those that a
// complete dataset of a pack in `output` was made with, else all.
Result<ImageKindNames> KindsFor(const OutputFolder& output,
                                const PackOptions& options);

Judgement JudgementOf(const PackOptions& options);

// With sizes to make, a check costs nothing beside the decoding.
ImageCheckLevel EffectiveCheck(const PackOptions& options);

}  // namespace shardine

#endif  // SHARDINE_PACK_PACK_PLAN_H_
