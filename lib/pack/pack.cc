#include "shardine/pack.h"

#include "base/status_macros.h"
#include "pack/make_dataset.h"
#include "pack/pack_plan.h"
#include "pack/tree_block.h"

namespace shardine {

Result<PackResult> Pack(const PackOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPlan planned,
                            MakePackPlan(job.storage, options, job.formats));
  ImagePolicy::Options judge{.output = options.output,
                             .on_bad = options.on_bad,
                             .check = EffectiveCheck(options),
                             .max_payload = planned.format.limits().max_payload,
                             .short_sides = options.variants.short_sides,
                             .image = options.variants.image,
                             .entry_points = options.entry_points,
                             .original = options.variants.original};
  const ImagePolicy policy(job.storage, planned.plan, judge);
  const TreeBlockPreparer preparer(job.storage, planned.plan, policy);
  judge.on_bad = OnBad::kSkip;
  const ImagePolicy rejecting(job.storage, planned.plan, judge);
  const TreeBlockPreparer looker(job.storage, planned.plan, rejecting);
  SHARDINE_ASSIGN_OR_RETURN(
      PackResult result,
      MakeDataset(planned, preparer,
                  {.output = options.output,
                   .judged = {options.on_bad, EffectiveCheck(options)},
                   .looker = &looker,
                   .threads = options.threads,
                   .check_space = options.check_space,
                   .made_per_sample = EstimateSizes(options.variants)},
                  job));
  result.ignored = CountIgnored(planned.plan.source().ignored);
  return result;
}

Result<PackPlan> PlanPack(const PackOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPlan planned,
                            MakePackPlan(job.storage, options, job.formats));
  return DescribePlan(job.storage, planned, options);
}
}  // namespace shardine
