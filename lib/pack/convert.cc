#include "shardine/convert.h"

#include <utility>

#include "base/status_macros.h"
#include "dataset/rejects.h"
#include "pack/convert_plan.h"
#include "pack/dataset_block.h"
#include "pack/image_policy.h"

namespace shardine {

Result<PackResult> Convert(const ConvertOptions& options, const Job& job) {
  ConvertSpec spec;
  spec.inputs = {options.input};
  spec.format = options.format;
  spec.shards = options.shards;
  spec.shard_bytes = options.shard_bytes;
  spec.reshuffle = options.reshuffle;
  spec.no_suffix = options.no_suffix;
  spec.strict = options.strict;
  spec.pixels = options.pixels;
  spec.pixels_if_needed = true;
  spec.entry_points = options.entry_points;
  SHARDINE_ASSIGN_OR_RETURN(auto samples, OpenInputs(spec.inputs, job));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  ClassMap classes = samples->dataset(0).manifest().classes;
  SHARDINE_ASSIGN_OR_RETURN(
      const PlannedConversion planned,
      MakeConvertPlan(std::move(samples), std::move(classes), spec,
                      job.formats));
  MakeOptions make{.output = output,
                   .threads = options.threads,
                   .check_space = options.check_space};
  if (planned.pixels) {
    const ShardPlan& plan = planned.plan.plan;
    make.judged = {options.on_bad, ImageCheckLevel::kDecode};
    ImagePolicy::Options judge{.output = output,
                               .on_bad = options.on_bad,
                               .check = make.judged.check,
                               .short_sides = {},
                               .image = {},
                               .pixels = planned.pixels};
    const ImagePolicy policy(plan, judge);
    const DatasetBlockPreparer preparer(*planned.samples, plan, policy);
    judge.on_bad = OnBad::kSkip;
    const ImagePolicy rejecting(plan, judge);
    const DatasetBlockPreparer looker(*planned.samples, plan, rejecting);
    make.looker = &looker;
    return MakeDataset(planned.plan, preparer, make, job);
  }
  if (options.on_bad != OnBad::kFail) {
    return Status(Code::kInvalidArgument,
                  "what to do with bad images is asked where they are decoded "
                  "to arrays; these pass through as they are");
  }
  return CarryOut(planned, make, job);
}

}  // namespace shardine
