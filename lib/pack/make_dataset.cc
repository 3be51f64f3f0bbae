#include "pack/make_dataset.h"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "pack/dataset_state.h"
#include "pack/journal.h"
#include "pack/pack_pipeline.h"
#include "pack/publish_manifests.h"
#include "pack/shard_publisher.h"
#include "pipeline/parallel_for.h"

namespace shardine {
namespace {

using Complete = std::vector<std::optional<Manifest>>;  // by variant

// Fills the result in and returns true if there is nothing left to do.
Result<bool> IsDone(Storage& storage, const std::string& output,
                    const DatasetPlan& planned, Complete complete,
                    PackResult& result) {
  std::vector<Manifest> manifests;
  for (std::optional<Manifest>& manifest : complete) {
    if (!manifest) return false;
    manifests.push_back(*std::move(manifest));
  }
  result.nothing_to_do = true;
  FillResult(planned, manifests, result);
  // A kill may have come between manifest and clean-up.
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(storage, output));
  return true;
}

std::vector<std::string> IncompleteFolders(const DatasetPlan& planned,
                                           const Complete& complete) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < complete.size(); ++i) {
    if (!complete[i]) folders.push_back(planned.variants[i].folder);
  }
  return folders;
}

// Writes what is not finished yet; returns how many shards were, in all
// variants.
Result<std::uint64_t> MakeShards(Storage& storage, const DatasetPlan& planned,
                                 const BlockPreparer& preparer,
                                 const MakeOptions& options,
                                 const ProgressFunction& progress,
                                 const std::stop_token& stop) {
  const ShardPlan& plan = planned.plan;
  std::list<ShardPublisher> publishers;
  for (const PlannedVariant& variant : planned.variants) {
    publishers.emplace_back(storage, options.output, planned, variant);
  }
  Progress done{.samples_total = plan.source().samples.size(),
                .bytes_total = plan.bytes(),
                .rejected = plan.source().bad.size()};
  std::vector<ShardWork> work;
  for (std::size_t i = 0; i < plan.shards().size(); ++i) {
    ShardWork missing{.shard = i, .publishers = {}};
    for (const ShardPublisher& publisher : publishers) {
      SHARDINE_ASSIGN_OR_RETURN(const bool finished,
                                publisher.IsFinished(plan.shards()[i]));
      if (!finished) missing.publishers.push_back(&publisher);
    }
    if (missing.publishers.empty()) {
      done.samples += plan.shards()[i].count;
    } else {
      work.push_back(std::move(missing));
    }
  }
  PackPipeline pipeline(storage, planned, preparer,
                        {.output = options.output,
                         .threads = ThreadCount(options.threads),
                         .made_per_sample = options.made_per_sample});
  SHARDINE_RETURN_IF_ERROR(pipeline.Run(work, progress, done, stop));
  return plan.shards().size() - work.size();
}

}  // namespace

Result<PackResult> MakeDataset(Storage& storage, const DatasetPlan& planned,
                               const BlockPreparer& preparer,
                               const MakeOptions& options,
                               const ProgressFunction& progress,
                               const std::stop_token& stop) {
  const std::string& output = options.output;
  PackResult result;
  result.output = output;
  result.warnings = planned.warnings;
  SHARDINE_ASSIGN_OR_RETURN(Complete complete,
                            FindComplete(storage, output, planned));
  SHARDINE_ASSIGN_OR_RETURN(bool done,
                            IsDone(storage, output, planned, complete, result));
  if (done) return result;
  SHARDINE_ASSIGN_OR_RETURN(
      const Journal journal,
      Journal::Begin(storage, output, planned.plan,
                     IncompleteFolders(planned, complete)));
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(complete, FindComplete(storage, output, planned));
  SHARDINE_ASSIGN_OR_RETURN(
      done, IsDone(storage, output, planned, std::move(complete), result));
  if (done) return result;

  SHARDINE_ASSIGN_OR_RETURN(
      result.shards_reused,
      MakeShards(storage, planned, preparer, options, progress, stop));
  SHARDINE_ASSIGN_OR_RETURN(
      const PublishedDatasets published,
      PublishManifests(storage, output, planned, options.on_bad));
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(storage, output));
  FillResult(planned, published.manifests, result);
  result.bytes = planned.has_original() ? published.image_bytes.front()
                                        : planned.plan.bytes();
  const std::size_t before = planned.has_original() ? 1 : 0;
  for (std::size_t i = 0; i < result.sizes.size(); ++i) {
    result.sizes[i].bytes = published.image_bytes[before + i];
  }
  return result;
}

}  // namespace shardine
