#include "pack/make_dataset.h"

#include <algorithm>
#include <list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "pack/dataset_state.h"
#include "pack/journal.h"
#include "pack/look_on.h"
#include "pack/pack_pipeline.h"
#include "pack/publish_manifests.h"
#include "pack/shard_notes.h"
#include "pack/shard_publisher.h"
#include "pipeline/parallel_for.h"

namespace shardine {
namespace {

using Complete = std::vector<std::optional<Manifest>>;  // by variant

// Fills the result in and returns true if there is nothing left to do.
Result<bool> IsDone(const OutputFolder& output, const DatasetPlan& planned,
                    const Complete& complete, PackResult& result) {
  std::vector<Manifest> manifests;
  for (const std::optional<Manifest>& manifest : complete) {
    if (!manifest) return false;
    manifests.push_back(*manifest);
  }
  result.nothing_to_do = true;
  result.contents_compared = planned.has_contents;
  FillResult(planned, manifests, result);
  // A kill may have come between manifest and clean-up.
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output));
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

std::uint64_t BytesOf(const ShardPlan& plan, const PlannedShard& shard) {
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < shard.count; ++i) {
    bytes += plan.source().samples.facts(plan.SampleAt(shard, i)).size;
  }
  return bytes;
}

// Only payloads that are stored as they are read have a size by now; a disk
// that cannot hold those would be full after hours.
Status CheckSpace(const OutputFolder& output, std::uint64_t needed) {
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t free,
                            output.storage().FreeBytes(output.path()));
  if (free >= needed) return Status();
  const auto mebibytes = [](std::uint64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB";
  };
  return Status(Code::kIo, "the disk is too small: more than " +
                               mebibytes(needed) + " are needed and " +
                               mebibytes(free) + " are free")
      .At({.path = output.path()});
}

// What one run of MakeDataset() works with.
struct DatasetRun {
  const DatasetPlan& planned;
  const BlockPreparer& preparer;
  const MakeOptions& options;
  const Job& job;
  bool resumed;              // OUT may hold shards of an earlier run
  const Complete& complete;  // variants that have manifests
};

enum class Noted { kNot, kAsNow, kOtherwise };

// How the notes of the shard, if it has any, are to those it would have now.
Result<Noted> CompareNotes(const DatasetRun& run, const PlannedShard& shard) {
  if (!run.resumed) return Noted::kNot;
  SHARDINE_ASSIGN_OR_RETURN(const auto noted,
                            ReadShardNotes(run.options.output, shard.name));
  if (!noted) return Noted::kNot;
  const bool as_now =
      noted->facts == FactsDigest(run.planned.plan, shard) &&
      HoldsUnder(noted->judged, noted->has_rejects, run.options.judged);
  return as_now ? Noted::kAsNow : Noted::kOtherwise;
}

// What is there of a shard that has to be made. No manifest may stand over it.
Status RemoveShard(const DatasetRun& run, const PlannedShard& shard,
                   const ShardPublisher& publisher, std::size_t variant) {
  // The manifest goes first, and for good: from here on the folder holds an
  // unfinished dataset, which the journal explains.
  if (run.complete[variant]) {
    const OutputFolder folder =
        run.options.output.Below(run.planned.variants[variant].folder);
    Storage& storage = folder.storage();
    const Status removed = storage.Remove(folder.PathOf(kManifestName));
    if (removed.code() != Code::kNotFound) {
      SHARDINE_RETURN_IF_ERROR(removed);
      SHARDINE_RETURN_IF_ERROR(storage.SyncDirectory(folder.path()));
    }
  } else if (!run.resumed) {
    return Status();
  }
  return publisher.Remove(shard.name);
}

// The variants of the shard that are still to be made; what an earlier run made
// otherwise is gone then. A variant that is complete needs no notes.
Result<ShardWork> FindWork(const DatasetRun& run, std::size_t number,
                           const std::list<ShardPublisher>& publishers) {
  const PlannedShard& shard = run.planned.plan.shards()[number];
  SHARDINE_ASSIGN_OR_RETURN(const Noted noted, CompareNotes(run, shard));
  ShardWork missing{.shard = number, .publishers = {}};
  std::size_t variant = 0;
  for (const ShardPublisher& publisher : publishers) {
    const bool whole = run.complete[variant].has_value();
    bool finished = false;
    // The notes of a complete variant may be gone with its work folder. They
    // only speak against it if they are there and differ.
    if (whole ? noted != Noted::kOtherwise : noted == Noted::kAsNow) {
      SHARDINE_ASSIGN_OR_RETURN(finished, publisher.IsFinished(shard));
    }
    if (!finished) {
      SHARDINE_RETURN_IF_ERROR(RemoveShard(run, shard, publisher, variant));
      missing.publishers.push_back(&publisher);
    }
    ++variant;
  }
  return missing;
}

// Shards that were finished when there were more or fewer samples.
Status RemoveStrays(const DatasetRun& run,
                    const std::list<ShardPublisher>& publishers) {
  std::set<std::string> planned;
  for (const PlannedShard& shard : run.planned.plan.shards()) {
    planned.insert(shard.name);
  }
  const OutputFolder& output = run.options.output;
  SHARDINE_ASSIGN_OR_RETURN(const auto noted, ListNotedShards(output));
  for (const std::string& name : noted) {
    if (planned.contains(name)) continue;
    // Notes of anything else are none of ours.
    if (!IsShardName(name, run.planned.format.format->suffix) &&
        !IsShardName(name, "")) {
      continue;
    }
    for (const ShardPublisher& publisher : publishers) {
      SHARDINE_RETURN_IF_ERROR(publisher.Remove(name));
    }
    SHARDINE_RETURN_IF_ERROR(RemoveShardNotes(output, name));
  }
  return output.Remove(BadImagesPath(output));
}

// `warnings` gets what the samples gave cause for.
Status WriteShards(const DatasetRun& run, const std::vector<ShardWork>& work,
                   Progress& done, std::vector<std::string>& warnings) {
  const MakeOptions& options = run.options;
  const unsigned threads = ThreadCount(options.threads);
  PackPipeline pipeline(run.planned, run.preparer,
                        {.output = options.output,
                         .threads = threads,
                         .made_per_sample = options.made_per_sample,
                         .judged = options.judged});
  Status status = pipeline.Run(work, run.job.progress, done, run.job.stop);
  for (std::string& warning : pipeline.deep_gray().Warnings()) {
    warnings.push_back(std::move(warning));
  }
  if (options.looker == nullptr || !pipeline.bad_block()) return status;
  LookOnWork rest{.output = options.output,
                  .shards = {},
                  .from = *pipeline.bad_block(),
                  .threads = threads,
                  .made_per_sample = options.made_per_sample,
                  .done = done};
  for (const ShardWork& entry : work) {
    if (entry.shard >= rest.from.shard) rest.shards.push_back(entry.shard);
  }
  return LookOn(run.planned, *options.looker, rest, status, run.job);
}

// Writes what is not finished yet; returns how many shards were, in all
// variants.
Result<std::uint64_t> MakeShards(const DatasetRun& run,
                                 std::vector<std::string>& warnings) {
  const ShardPlan& plan = run.planned.plan;
  // A list: work refers to its elements, which must not move.
  std::list<ShardPublisher> publishers;
  for (const PlannedVariant& variant : run.planned.variants) {
    publishers.emplace_back(run.options.output, run.planned, variant);
  }
  if (run.resumed) SHARDINE_RETURN_IF_ERROR(RemoveStrays(run, publishers));
  Progress done{.samples_total = plan.source().samples.size(),
                .bytes_total = plan.bytes(),
                .rejected = plan.source().bad.size()};
  std::vector<ShardWork> work;
  // All shards are looked at before the first is written: what has to go is
  // gone then, and the space that is free is known.
  for (std::size_t i = 0; i < plan.shards().size(); ++i) {
    SHARDINE_ASSIGN_OR_RETURN(ShardWork missing, FindWork(run, i, publishers));
    if (missing.publishers.empty()) {
      done.samples += plan.shards()[i].count;
      done.bytes += BytesOf(plan, plan.shards()[i]);
    } else {
      work.push_back(std::move(missing));
    }
  }
  if (run.options.check_space && run.planned.has_original()) {
    SHARDINE_RETURN_IF_ERROR(
        CheckSpace(run.options.output, plan.bytes() - done.bytes));
  }
  SHARDINE_RETURN_IF_ERROR(WriteShards(run, work, done, warnings));
  return plan.shards().size() - work.size();
}

}  // namespace

Result<PackResult> MakeDataset(const DatasetPlan& planned,
                               const BlockPreparer& preparer,
                               const MakeOptions& options, const Job& job) {
  const OutputFolder& output = options.output;
  PackResult result;
  result.output = output.path();
  result.warnings = planned.warnings;
  SHARDINE_ASSIGN_OR_RETURN(Complete complete,
                            FindComplete(output, planned, options.judged));
  SHARDINE_ASSIGN_OR_RETURN(bool done,
                            IsDone(output, planned, complete, result));
  if (done) return result;
  SHARDINE_ASSIGN_OR_RETURN(
      const Journal journal,
      Journal::Begin(output, planned, IncompleteFolders(planned, complete)));
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(complete,
                            FindComplete(output, planned, options.judged));
  SHARDINE_ASSIGN_OR_RETURN(done, IsDone(output, planned, complete, result));
  if (done) return result;

  if (journal.resumed()) {
    SHARDINE_RETURN_IF_ERROR(
        RemoveOutdatedManifests(output, planned, complete));
  }
  SHARDINE_ASSIGN_OR_RETURN(
      result.shards_reused,
      MakeShards({planned, preparer, options, job, journal.resumed(), complete},
                 result.warnings));
  SHARDINE_ASSIGN_OR_RETURN(
      const PublishedDatasets published,
      PublishManifests(output, planned, options.judged, journal.resumed()));
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output));
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
