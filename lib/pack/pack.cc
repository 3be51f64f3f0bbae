#include "shardine/pack.h"

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/ignored.h"
#include "io/storage_for.h"
#include "pack/make_dataset.h"
#include "pack/output_state.h"
#include "pack/pack_plan.h"
#include "pack/replacement.h"
#include "pack/tree_block.h"

namespace shardine {
namespace {

// Where a pack reads and where it writes.
struct Places {
  ReadableStorage* sources;
  OutputFolder output;
};

Result<Places> FindPlaces(const PackOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const sources,
                            StorageFor(job, FirstPath(options.source)));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, options.output));
  return Places{.sources = sources, .output = std::move(output)};
}

}  // namespace

Result<PackResult> Pack(const PackOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const Places places, FindPlaces(options, job));
  SHARDINE_ASSIGN_OR_RETURN(
      const DatasetPlan planned,
      MakePackPlan(*places.sources, places.output, options, job.formats));
  ImagePolicy::Options judge = PolicyOptions(places.output, planned, options);
  const ImagePolicy policy(planned.plan, judge);
  const TreeBlockPreparer preparer(*places.sources, planned.plan, policy);
  judge.on_bad = OnBad::kSkip;
  const ImagePolicy rejecting(planned.plan, judge);
  const TreeBlockPreparer looker(*places.sources, planned.plan, rejecting);
  SHARDINE_ASSIGN_OR_RETURN(
      PackResult result,
      MakeDataset(planned, preparer,
                  {.output = places.output,
                   .judged = {options.on_bad, EffectiveCheck(options)},
                   .looker = &looker,
                   .threads = options.threads,
                   .check_space = options.check_space,
                   .replace = options.replace,
                   .made_per_sample = EstimateSizes(options.variants)},
                  job));
  result.ignored = IgnoredCounts(CountIgnored(planned.plan.source()));
  return result;
}

Result<PackPlan> PlanPack(const PackOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const Places places, FindPlaces(options, job));
  SHARDINE_ASSIGN_OR_RETURN(
      const DatasetPlan planned,
      MakePackPlan(*places.sources, places.output, options, job.formats));
  PackPlan plan = DescribePlan(places.output, planned, options);
  if (!options.replace) return plan;
  const auto refusal = [&] {
    const Judgement judged = {options.on_bad, EffectiveCheck(options)};
    return OutputState::Of(places.output, planned, judged).status();
  };
  SHARDINE_ASSIGN_OR_RETURN(plan.replaced,
                            Replacement::FilesToGo(places.output, refusal));
  return plan;
}

}  // namespace shardine
