#include "shardine/pack.h"

#include "base/status_macros.h"
#include "pack/make_dataset.h"
#include "pack/pack_plan.h"
#include "pack/run.h"
#include "pack/tree_block.h"

namespace shardine {

Result<PackResult> RunPack(Storage& storage, const PackOptions& options,
                           const ProgressFunction& progress,
                           const std::stop_token& stop,
                           const FormatRegistry& formats) {
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPlan planned,
                            MakePackPlan(storage, options, formats));
  ImagePolicy::Options judge{.output = options.output,
                             .on_bad = options.on_bad,
                             .check = EffectiveCheck(options),
                             .max_payload = planned.format.limits().max_payload,
                             .short_sides = options.variants.short_sides,
                             .image = options.variants.image,
                             .entry_points = options.entry_points,
                             .original = options.variants.original};
  const ImagePolicy policy(storage, planned.plan, judge);
  const TreeBlockPreparer preparer(storage, planned.plan, policy);
  judge.on_bad = OnBad::kSkip;
  const ImagePolicy rejecting(storage, planned.plan, judge);
  const TreeBlockPreparer looker(storage, planned.plan, rejecting);
  SHARDINE_ASSIGN_OR_RETURN(
      PackResult result,
      MakeDataset(storage, planned, preparer,
                  {.output = options.output,
                   .judged = {options.on_bad, EffectiveCheck(options)},
                   .looker = &looker,
                   .threads = options.threads,
                   .check_space = options.check_space,
                   .made_per_sample = EstimateSizes(options.variants)},
                  progress, stop));
  result.ignored = CountIgnored(planned.plan.source().ignored);
  return result;
}

Result<PackPlan> PlanPack(const PackOptions& options,
                          const FormatRegistry& formats) {
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPlan planned,
                            MakePackPlan(LocalStorage(), options, formats));
  return DescribePlan(LocalStorage(), planned, options);
}

Result<PackResult> Pack(const PackOptions& options,
                        const ProgressFunction& progress, std::stop_token stop,
                        const FormatRegistry& formats) {
  return RunPack(LocalStorage(), options, progress, stop, formats);
}

}  // namespace shardine
