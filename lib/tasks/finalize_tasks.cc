#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/permutation.h"
#include "base/status_macros.h"
#include "dataset/dataset_summary.h"
#include "dataset/rejects.h"
#include "pack/journal.h"
#include "pack/output_state.h"
#include "pack/publish_manifests.h"
#include "pipeline/parallel_for.h"
#include "tasks/dataset_tasks.h"
#include "tasks/note_sums.h"
#include "tasks/status_parts.h"
#include "tasks/task_folder.h"
#include "tasks/task_note.h"
#include "tasks/task_waits.h"

namespace shardine {
namespace {

// The notes of all shards.
struct Notes {
  std::vector<TaskNote> shards;
  MissingTasks missing;
};

Result<Notes> CollectTaskNotes(const TaskFolder& folder,
                               const std::stop_token& stop) {
  const PlanFile& plan = folder.plan();
  Notes notes;
  notes.shards.resize(plan.shards().size());
  std::vector<Status> failures(plan.shards().size());
  SHARDINE_RETURN_IF_ERROR(ParallelFor(
      plan.shards().size(), WaitingThreads(folder.output()),
      [&](std::size_t i) {
        if (stop.stop_requested()) {
          return Status(Code::kCancelled, "interrupted");
        }
        auto note = folder.FindDone(plan.shards()[i]);
        // A shared folder may show a file a while after another machine made
        // it, and a second request shows it sooner.
        if (note.status().code() == Code::kNotFound) {
          note = folder.FindDone(plan.shards()[i]);
        }
        if (note.ok()) {
          notes.shards[i] = *std::move(note);
          return Status();
        }
        if (note.status().code() == Code::kNotFound) {
          note = Status(Code::kNotFound, "the shard " +
                                             plan.shards()[i].planned.name +
                                             " has no note, or lacks a file");
        }
        failures[i] = std::move(note).status();
        const Code code = failures[i].code();
        return code == Code::kIo || code == Code::kRemote ? failures[i]
                                                          : Status();
      }));
  notes.missing = FindMissing(plan, failures);
  return notes;
}

// Calls `prove` for a share of the shards, which the plan chooses.
Status ForShare(const TaskFolder& folder, double percent,
                const std::stop_token& stop,
                const std::function<Status(std::size_t shard)>& prove) {
  const std::size_t shards = folder.plan().shards().size();
  const auto count = static_cast<std::size_t>(
      std::ceil(static_cast<double>(shards) * percent / 100));
  const Permutation order(shards, folder.plan().head().plan_digest.low,
                          "finalize");
  return ParallelFor(std::min(count, shards), WaitingThreads(folder.output()),
                     [&](std::size_t i) {
                       if (stop.stop_requested()) {
                         return Status(Code::kCancelled, "interrupted");
                       }
                       return prove(order(i));
                     });
}

// Reads the files of a share of the shards again.
Status Prove(const TaskFolder& folder, const std::vector<TaskNote>& notes,
             double percent, const std::stop_token& stop) {
  const OutputFolder& output = folder.output();
  return ForShare(folder, percent, stop, [&](std::size_t i) {
    const TaskNote& note = notes[i];
    const PlanShard& shard = folder.plan().shards()[i];
    SHARDINE_ASSIGN_OR_RETURN(
        const auto read,
        ReadNotedVariants(output, folder.outline(), shard.planned));
    const Status wrong(Code::kCorrupt,
                       "the shard " + note.shard +
                           " is not what its task noted; remove its note "
                           "and its files, and run the task again");
    if (read != note.variants) return wrong;
    for (std::size_t v = 0; v < read.size(); ++v) {
      const ManifestFile& noted = note.variants[v].shard.file;
      SHARDINE_ASSIGN_OR_RETURN(
          const ManifestFile file,
          DescribeFile(output.storage(),
                       output.Below(folder.outline().variants[v].folder).path(),
                       noted.path));
      if (file != noted) return wrong;
    }
    return Status();
  });
}

Status ProveListed(const OutputFolder& folder, const ManifestFile& listed) {
  SHARDINE_ASSIGN_OR_RETURN(
      const ManifestFile file,
      DescribeFile(folder.storage(), folder.path(), listed.path));
  if (file == listed) return Status();
  return Status(Code::kCorrupt, "is not the file that the manifest lists")
      .At({.path = folder.PathOf(listed.path)});
}

// Compares files of a finished dataset, whose notes are gone, with its
// manifests.
Status ProveFinished(const TaskFolder& folder,
                     const std::vector<Manifest>& manifests, double percent,
                     const std::stop_token& stop) {
  std::vector<std::vector<const ManifestShard*>> shards;
  for (const Manifest& manifest : manifests) {
    auto& of_variant = shards.emplace_back();
    for (const ManifestSplit& split : manifest.splits) {
      for (const ManifestShard& shard : split.shards) {
        of_variant.push_back(&shard);
      }
    }
  }
  return ForShare(folder, percent, stop, [&](std::size_t i) {
    for (std::size_t v = 0; v < shards.size(); ++v) {
      const OutputFolder variant =
          folder.output().Below(folder.outline().variants[v].folder);
      const ManifestShard& shard = *shards[v].at(i);
      SHARDINE_RETURN_IF_ERROR(ProveListed(variant, shard.file));
      for (const ManifestFile& companion : shard.companions) {
        SHARDINE_RETURN_IF_ERROR(ProveListed(variant, companion));
      }
    }
    return Status();
  });
}

// Removes temporaries of a folder and of all below it; an absent folder is
// fine.
Status RemoveTemporariesBelow(const OutputFolder& folder) {
  const auto entries = folder.storage().List(folder.path());
  if (entries.status().code() == Code::kNotFound) return Status();
  if (!entries.ok()) return entries.status();
  for (const DirEntry& entry : *entries) {
    if (entry.kind != FileKind::kDirectory) continue;
    SHARDINE_RETURN_IF_ERROR(RemoveTemporariesBelow(folder.Below(entry.name)));
  }
  return folder.RemoveTemporaries();
}

// Whatever attempts left, those of twins that are still at work, too: these
// will find that all is done.
Status Sweep(const TaskFolder& folder) {
  const OutputFolder& output = folder.output();
  for (const PlannedVariant& variant : folder.outline().variants) {
    SHARDINE_RETURN_IF_ERROR(
        Journal::RemoveTemporaries(output.Below(variant.folder)));
  }
  if (folder.judged().on_bad == OnBad::kQuarantine) {
    SHARDINE_RETURN_IF_ERROR(
        RemoveTemporariesBelow(output.Below(kQuarantineFolder)));
  }
  return Journal::RemoveFolder(output);
}

PackResult ResultOf(const TaskFolder& folder) {
  PackResult result;
  result.output = folder.output().path();
  return result;
}

// The result where all manifests are there.
Result<std::optional<Finalized>> FindDone(const TaskFolder& folder,
                                          const FinalizeOptions& options,
                                          const OutputState& state,
                                          const std::stop_token& stop) {
  if (!state.has_all_manifests()) return std::optional<Finalized>();
  SHARDINE_RETURN_IF_ERROR(folder.CheckNothingLost(state));
  SHARDINE_RETURN_IF_ERROR(
      ProveFinished(folder, state.manifests(), options.proved_percent, stop));
  PackResult result = ResultOf(folder);
  result.nothing_to_do = true;
  result.contents_compared = folder.outline().has_contents;
  FillResult(folder.outline().variants, RejectedBefore(folder.outline().kept),
             state.manifests(), result);
  // A kill may have come between manifest and clean-up.
  SHARDINE_RETURN_IF_ERROR(Sweep(folder));
  return std::optional(Finalized{.result = std::move(result)});
}

Result<Finalized> Finalize(const TaskFolder& folder,
                           const FinalizeOptions& options,
                           const OutputState& state,
                           const std::stop_token& stop) {
  const OutputFolder& output = folder.output();
  SHARDINE_RETURN_IF_ERROR(folder.plan().CheckDigest());
  SHARDINE_ASSIGN_OR_RETURN(Notes notes, CollectTaskNotes(folder, stop));
  if (!notes.missing.numbers.empty()) {
    return Finalized{.missing = std::move(notes.missing.numbers),
                     .first_missing = std::move(notes.missing.first)};
  }
  SHARDINE_RETURN_IF_ERROR(
      Prove(folder, notes.shards, options.proved_percent, stop));
  SHARDINE_ASSIGN_OR_RETURN(DatasetSums sums,
                            AddNotes(folder, notes.shards, stop));
  SHARDINE_ASSIGN_OR_RETURN(
      const PublishedDatasets published,
      PublishManifests(output, folder.outline(), folder.judged(), state,
                       std::move(sums)));
  SHARDINE_RETURN_IF_ERROR(Sweep(folder));
  PackResult result = ResultOf(folder);
  FillResult(folder.outline().variants, RejectedBefore(folder.outline().kept),
             published.manifests, result);
  WarnOfOthers(published, *folder.outline().format.layout, result);
  const bool original = folder.outline().has_original();
  result.bytes =
      original ? published.image_bytes.front() : folder.plan().bytes();
  for (std::size_t i = 0; i < result.sizes.size(); ++i) {
    result.sizes[i].bytes = published.image_bytes[(original ? 1 : 0) + i];
  }
  CompareSplits(output, folder.outline(), stop, result);
  return Finalized{.result = std::move(result)};
}

Result<Finalized> LookAndFinalize(const TaskFolder& folder,
                                  const FinalizeOptions& options,
                                  const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(OutputState state, folder.FindState());
  SHARDINE_ASSIGN_OR_RETURN(auto done, FindDone(folder, options, state, stop));
  if (done) return *std::move(done);
  SHARDINE_ASSIGN_OR_RETURN(const FolderLock lock, folder.output().Lock());
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(state, folder.FindState());
  SHARDINE_ASSIGN_OR_RETURN(done, FindDone(folder, options, state, stop));
  if (done) return *std::move(done);
  return Finalize(folder, options, state, stop);
}

}  // namespace

Result<Finalized> FinalizeDatasetTasks(std::unique_ptr<PlanFile> plan,
                                       const FinalizeOptions& options,
                                       const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(PlanLists lists, plan->ReadLists());
  SHARDINE_ASSIGN_OR_RETURN(
      const TaskFolder folder,
      TaskFolder::Open(std::move(plan), job, std::move(lists)));
  auto finalized = LookAndFinalize(folder, options, job.stop);
  if (finalized.status().code() != Code::kNotFound) return finalized;
  // Another run that has just finished removes the notes while they are read.
  SHARDINE_ASSIGN_OR_RETURN(const OutputState state, folder.FindState());
  if (!state.is_complete()) return finalized;
  return LookAndFinalize(folder, options, job.stop);
}

}  // namespace shardine
