#include "pack/make_dataset.h"

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "pack/journal.h"
#include "pack/leftovers.h"
#include "pack/list_bad_images.h"
#include "pack/output_state.h"
#include "pack/pack_pipeline.h"
#include "pack/publish_manifests.h"
#include "pack/replacement.h"
#include "pack/shard_publisher.h"
#include "pack/shard_restorer.h"
#include "pipeline/parallel_for.h"
#include "source/field_file.h"

namespace shardine {

Status CheckSpace(const OutputFolder& output, std::uint64_t needed) {
  const auto free = output.storage().FreeBytes(output.path());
  if (free.status().code() == Code::kUnsupported) return Status();
  if (!free.ok()) return free.status();
  if (*free >= needed) return Status();
  const auto mebibytes = [](std::uint64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB";
  };
  return Status(Code::kIo, "the disk is too small: more than " +
                               mebibytes(needed) + " are needed and " +
                               mebibytes(*free) + " are free")
      .At({.path = output.path()});
}

namespace {

// Fills the result in and returns true if there is nothing left to do.
Result<bool> IsDone(const OutputFolder& output, const DatasetPlan& planned,
                    const OutputState& state, PackResult& result) {
  if (!state.is_complete()) return false;
  result.nothing_to_do = true;
  result.contents_compared = planned.has_contents;
  FillResult(planned.variants, RejectedBefore(planned.kept), state.manifests(),
             result);
  // A kill may have come between manifest and clean-up.
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output));
  return true;
}

std::uint64_t BytesOf(const ShardPlan& plan, const PlannedShard& shard) {
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < shard.count; ++i) {
    bytes += plan.source().samples.facts(plan.SampleAt(shard, i)).size;
  }
  return bytes;
}

// The inputs of one run of MakeDataset().
struct DatasetRun {
  const DatasetPlan& planned;
  const BlockPreparer& preparer;
  const MakeOptions& options;
  const Job& job;
  bool resumed;  // OUT may hold shards of an earlier run
};

// `warnings` gets the warnings about samples.
Status WriteShards(const DatasetRun& run, const std::vector<ShardWork>& work,
                   const ShardRestorers& restorers, Progress& done,
                   std::vector<std::string>& warnings) {
  const MakeOptions& options = run.options;
  const unsigned threads = ThreadCount(options.threads);
  PackPipeline pipeline(run.planned, run.preparer,
                        {.output = options.output,
                         .threads = threads,
                         .made_per_sample = options.made_per_sample,
                         .judged = options.judged,
                         .published = [&](const PlannedShard& shard) {
                           return restorers.Place(shard);
                         }});
  Status status = pipeline.Run(work, run.job.progress, done, run.job.stop);
  for (std::string& warning : pipeline.images().Warnings()) {
    warnings.push_back(std::move(warning));
  }
  if (options.looker == nullptr || !pipeline.bad_block()) return status;
  BadImageSearch rest{.output = options.output,
                      .shards = {},
                      .from = *pipeline.bad_block(),
                      .threads = threads,
                      .made_per_sample = options.made_per_sample,
                      .done = done};
  for (const ShardWork& entry : work) {
    if (entry.shard >= rest.from.shard) rest.shards.push_back(entry.shard);
  }
  return ListBadImages(run.planned, *options.looker, rest, status, run.job);
}

// The progress when that work is left.
Progress DoneBut(const ShardPlan& plan, const std::vector<ShardWork>& work) {
  Progress done{.samples_total = plan.source().samples.size(),
                .bytes_total = plan.bytes(),
                .rejected = plan.source().bad.size()};
  auto next = work.begin();
  for (std::size_t i = 0; i < plan.shards().size(); ++i) {
    if (next != work.end() && next->shard == i) {
      ++next;
      continue;
    }
    done.samples += plan.shards()[i].count;
    done.bytes += BytesOf(plan, plan.shards()[i]);
  }
  return done;
}

// Bytes of files beside the images, in shards that are to be written.
std::uint64_t FieldBytesOf(const ShardPlan& plan,
                           const std::vector<ShardWork>& work) {
  std::uint64_t bytes = 0;
  for (const ShardWork& entry : work) {
    const PlannedShard& shard = plan.shards()[entry.shard];
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      bytes += FieldFileBytes(plan.source(), plan.SampleAt(shard, i));
    }
  }
  return bytes;
}

// Writes the unfinished shards; returns how many shards were, in all
// variants.
Result<std::uint64_t> MakeShards(const DatasetRun& run, OutputState& state,
                                 std::vector<std::string>& warnings) {
  const ShardPlan& plan = run.planned.plan;
  const MakeOptions& options = run.options;
  // A list: work refers to its elements, which must not move.
  std::list<ShardPublisher> publishers;
  for (const PlannedVariant& variant : run.planned.variants) {
    publishers.emplace_back(options.output, run.planned, variant);
  }
  // Before ClearLeftovers(), which may take a variant of the state back.
  const ShardRestorers restorers(options.output, run.planned, state);
  // All shards are looked at before the first is written: files that have to go
  // are gone then, and the free space is known.
  SHARDINE_ASSIGN_OR_RETURN(
      std::vector<ShardWork> work,
      ClearLeftovers({options.output, run.planned, options.judged, state,
                      run.resumed, publishers},
                     run.job.stop));
  SHARDINE_RETURN_IF_ERROR(restorers.Begin(work));
  Progress done = DoneBut(plan, work);
  if (options.check_space && run.planned.keeps_bytes()) {
    SHARDINE_RETURN_IF_ERROR(CheckSpace(
        options.output, plan.bytes() - done.bytes + FieldBytesOf(plan, work)));
  }
  const Status written = WriteShards(run, work, restorers, done, warnings);
  restorers.End();
  SHARDINE_RETURN_IF_ERROR(written);
  return plan.shards().size() - work.size();
}

// In the folder that `options` name.
Result<PackResult> MakeInFolder(const DatasetPlan& planned,
                                const BlockPreparer& preparer,
                                const MakeOptions& options, const Job& job) {
  const OutputFolder& output = options.output;
  PackResult result;
  result.output = output.path();
  result.warnings = planned.warnings;
  SHARDINE_ASSIGN_OR_RETURN(OutputState state,
                            OutputState::Of(output, planned, options.judged));
  SHARDINE_ASSIGN_OR_RETURN(bool done, IsDone(output, planned, state, result));
  if (done) return result;
  SHARDINE_ASSIGN_OR_RETURN(
      const Journal journal,
      Journal::Begin(output, planned, state.IncompleteFolders(planned)));
  if (std::string weakness = journal.weakness(); !weakness.empty()) {
    result.warnings.push_back(std::move(weakness));
  }
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(state,
                            OutputState::Of(output, planned, options.judged));
  SHARDINE_ASSIGN_OR_RETURN(done, IsDone(output, planned, state, result));
  if (done) return result;

  SHARDINE_ASSIGN_OR_RETURN(
      result.shards_reused,
      MakeShards({planned, preparer, options, job, journal.resumed()}, state,
                 result.warnings));
  SHARDINE_ASSIGN_OR_RETURN(
      const PublishedDatasets published,
      PublishManifests(output, planned, options.judged, state));
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output));
  FillResult(planned.variants, RejectedBefore(planned.kept),
             published.manifests, result);
  WarnOfOthers(published, *planned.format.layout, result);
  result.bytes = planned.has_original() ? published.image_bytes.front()
                                        : planned.plan.bytes();
  const std::size_t before = planned.has_original() ? 1 : 0;
  for (std::size_t i = 0; i < result.sizes.size(); ++i) {
    result.sizes[i].bytes = published.image_bytes[before + i];
  }
  CompareSplits(output, planned, job.stop, result);
  return result;
}

}  // namespace

Result<PackResult> MakeDataset(const DatasetPlan& planned,
                               const BlockPreparer& preparer,
                               const MakeOptions& options, const Job& job) {
  const auto refusal = [&] {
    return OutputState::Of(options.output, planned, options.judged).status();
  };
  if (options.dry_run) {
    PackResult result;
    result.output = options.output.path();
    SHARDINE_ASSIGN_OR_RETURN(result.replaced,
                              Replacement::FilesToGo(options.output, refusal));
    return result;
  }
  SHARDINE_ASSIGN_OR_RETURN(Replacement replacement,
                            Replacement::Begin(options.output, options.replace,
                                               refusal, options.command));
  MakeOptions make = options;
  make.output = replacement.target();
  SHARDINE_ASSIGN_OR_RETURN(PackResult result,
                            MakeInFolder(planned, preparer, make, job));
  return replacement.Finish(std::move(result));
}

}  // namespace shardine
