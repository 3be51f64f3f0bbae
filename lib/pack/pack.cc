#include "shardine/pack.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/ignored.h"
#include "pack/make_dataset.h"
#include "pack/output_state.h"
#include "pack/pack_plan.h"
#include "pack/replacement.h"
#include "pack/tree_block.h"
#include "pipeline/processor_share.h"
#include "source/source_storage.h"

namespace shardine {
namespace {

// Where a pack reads and where it writes.
struct Places {
  std::shared_ptr<ReadableStorage> sources;
  OutputFolder output;
};

Result<Places> FindPlaces(const PackOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(auto sources, OpenSources(job, options.source));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, options.output));
  return Places{.sources = std::move(sources), .output = std::move(output)};
}

// Blocks from all over the plan, of 200 images and 3 seconds at most. A dry run
// fails for no image: bad ones are left out.
void EstimateTime(const Places& places, const DatasetPlan& planned,
                  const PackOptions& options, const std::stop_token& stop,
                  PackPlan& plan) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kMostImages = 200;
  constexpr std::size_t kBlocks = 10;
  constexpr std::chrono::seconds kLongest(3);
  ImagePolicy::Options judge = PolicyOptions(places.output, planned, options);
  judge.on_bad = OnBad::kSkip;
  const ImagePolicy policy(planned.plan, judge);
  const TreeBlockPreparer preparer(*places.sources, planned.plan, policy);
  std::vector<std::size_t> shards(planned.plan.shards().size());
  std::iota(shards.begin(), shards.end(), std::size_t{0});
  const auto blocks = CutBlocks(planned.plan, shards);
  const std::size_t step = std::max<std::size_t>(1, blocks.size() / kBlocks);
  const Clock::time_point begin = Clock::now();
  PreparedBlock used;
  std::uint64_t images = 0;
  for (std::size_t i = 0; i < blocks.size() && images < kMostImages &&
                          Clock::now() - begin < kLongest;
       i += step) {
    PlannedBlock block = blocks[i];
    block.count = std::min(block.count, kMostImages - images);
    used = preparer.Prepare(block, std::move(used), stop);
    if (!used.status.ok()) return;
    images += block.count;
  }
  if (images == 0) return;
  const std::chrono::duration<double> took = Clock::now() - begin;
  plan.estimate_images = images;
  plan.estimated_seconds = took.count() / static_cast<double>(images) *
                           static_cast<double>(plan.samples) /
                           ThreadCount(options.threads);
}

}  // namespace

Result<PackResult> Pack(const PackOptions& asked, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const Places places, FindPlaces(asked, job));
  PackOptions options = asked;
  SHARDINE_ASSIGN_OR_RETURN(options.kinds, KindsFor(places.output, asked));
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPlan planned,
                            MakePackPlan(*places.sources, places.output,
                                         options, job.formats, job.say));
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
                   .judged = JudgementOf(options),
                   .looker = &looker,
                   .threads = options.threads,
                   .check_space = options.check_space,
                   .replace = options.replace,
                   .made_per_sample = EstimateSizes(options.variants)},
                  job));
  result.ignored = IgnoredCounts(CountIgnored(planned.plan.source()));
  return result;
}

Result<PackPlan> PlanPack(const PackOptions& asked, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const Places places, FindPlaces(asked, job));
  PackOptions options = asked;
  SHARDINE_ASSIGN_OR_RETURN(options.kinds, KindsFor(places.output, asked));
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPlan planned,
                            MakePackPlan(*places.sources, places.output,
                                         options, job.formats, job.say));
  PackPlan plan = DescribePlan(places.output, planned, options);
  EstimateTime(places, planned, options, job.stop, plan);
  if (!options.replace) return plan;
  const auto refusal = [&] {
    const Judgement judged = JudgementOf(options);
    return OutputState::Of(places.output, planned, judged).status();
  };
  SHARDINE_ASSIGN_OR_RETURN(plan.replaced,
                            Replacement::FilesToGo(places.output, refusal));
  return plan;
}

}  // namespace shardine
