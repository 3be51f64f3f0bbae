#include <cmath>
#include <utility>
#include <vector>

#include "base/permutation.h"
#include "base/status_macros.h"
#include "io/output_names.h"
#include "pipeline/parallel_for.h"
#include "tasks/machine_error.h"
#include "tasks/status_parts.h"
#include "tasks/task_traces.h"
#include "tasks/task_waits.h"
#include "tasks/verify_folder.h"
#include "tasks/verify_kind.h"
#include "tasks/verify_reach.h"
#include "verify/dataset_shards.h"
#include "verify/family_verifier.h"

namespace shardine {
namespace {

// The notes of all shards, by number.
struct VerifyNotes {
  std::vector<ShardOutcome> outcomes;
  MissingTasks missing;
};

// Whether the dataset is another one than the plan's: to run a task again would
// not help.
bool HasChanged(const Status& failure, const std::string& note) {
  return failure.code() == Code::kChanged && failure.where().path != note;
}

// A shared folder may show a file a while after another machine made it, and a
// second request shows it sooner.
Result<ShardOutcome> FindNoted(const VerifyFolder& folder, std::size_t shard) {
  auto outcome = folder.FindDone(shard);
  if (outcome.status().code() != Code::kNotFound) return outcome;
  outcome = folder.FindDone(shard);
  if (outcome.status().code() != Code::kNotFound) return outcome;
  return Status(Code::kNotFound, "it has no note")
      .At({.path = folder.ShardPath(shard)});
}

Result<VerifyNotes> CollectVerifyNotes(const VerifyFolder& folder,
                                       const std::stop_token& stop) {
  const PlanFile& plan = folder.plan();
  VerifyNotes notes;
  notes.outcomes.resize(plan.shards().size());
  std::vector<Status> failures(plan.shards().size());
  const auto collect = [&](std::size_t i) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    auto outcome = FindNoted(folder, i);
    if (outcome.ok()) {
      notes.outcomes[i] = *std::move(outcome);
      return Status();
    }
    failures[i] = std::move(outcome).status();
    const bool ends =
        IsMachineError(failures[i]) ||
        HasChanged(failures[i], VerifyNotePath(folder.notes(), i));
    return ends ? failures[i] : Status();
  };
  SHARDINE_RETURN_IF_ERROR(ParallelFor(
      failures.size(), WaitingThreads(folder.notes().storage()), collect));
  notes.missing = FindMissing(plan, failures);
  return notes;
}

// Verifies a share of the shards once more, chosen by the plan, and compares
// the outcomes with the notes.
class NoteProver {
 public:
  NoteProver(const VerifyFolder& folder, const VerifyNotes& notes,
             const Job& job)
      : folder_(folder), notes_(notes), job_(job) {}

  Status Run(double percent) {
    const std::size_t shards = notes_.outcomes.size();
    const auto count = static_cast<std::size_t>(
        std::ceil(static_cast<double>(shards) * percent / 100));
    const Permutation order(shards, folder_.plan().digest().low, "finalize");
    std::vector<std::vector<std::size_t>> chosen(
        folder_.family().members().size());
    for (std::size_t i = 0; i < std::min(count, shards); ++i) {
      chosen[folder_.PlaceOf(order(i)).member].push_back(order(i));
    }
    for (std::size_t member = 0; member < chosen.size(); ++member) {
      if (chosen[member].empty()) continue;
      SHARDINE_RETURN_IF_ERROR(ProveMember(member, chosen[member]));
    }
    return Status();
  }

 private:
  Status ProveMember(std::size_t number,
                     const std::vector<std::size_t>& chosen) const {
    const DatasetFamily::Member& member = folder_.family().members()[number];
    const VerifyOptions options =
        OptionsOfMember(folder_.part().options, member);
    SHARDINE_ASSIGN_OR_RETURN(const auto shards,
                              OpenMember(folder_, number, options, job_));
    return ParallelFor(chosen.size(), shards->threads(), [&](std::size_t i) {
      return ProveShard(*shards, chosen[i]);
    });
  }

  Status ProveShard(const DatasetShards& shards, std::size_t number) const {
    const ShardOutcome& noted = notes_.outcomes[number];
    SHARDINE_ASSIGN_OR_RETURN(
        ShardOutcome found,
        shards.Verify(folder_.PlaceOf(number).shard, nullptr, job_.stop));
    found.came_wrong = noted.came_wrong;
    if (VerifyNoteText({.outcome = found}) ==
        VerifyNoteText({.outcome = noted})) {
      return Status();
    }
    return Status(Code::kCorrupt,
                  "does not say what is found now; remove it and run task " +
                      std::to_string(number /
                                     folder_.plan().head().shards_per_task) +
                      " again")
        .At({.path = VerifyNotePath(folder_.notes(), number)});
  }

  const VerifyFolder& folder_;
  const VerifyNotes& notes_;
  const Job& job_;
};

// Unfinished files and traces of attempts, those of twins that are still at
// work, too: these find that their note is there. Whoever may not write there
// leaves them.
void Sweep(const OutputFolder& notes) {
  static_cast<void>(notes.RemoveTemporaries());
  const OutputFolder traces = notes.Below(kWorkFolder);
  static_cast<void>(traces.RemoveTemporaries());
  const auto entries = notes.storage().List(traces.path());
  if (!entries.ok()) return;
  for (const DirEntry& entry : *entries) {
    if (!IsHeartbeatName(entry.name) && !IsFailureName(entry.name)) continue;
    static_cast<void>(notes.Remove(traces.PathOf(entry.name)));
  }
}

}  // namespace

Result<Finalized> FinalizeVerifyTasks(std::unique_ptr<PlanFile> plan,
                                      const FinalizeOptions& options,
                                      const Job& job) {
  SHARDINE_RETURN_IF_ERROR(plan->CheckDigest());
  SHARDINE_ASSIGN_OR_RETURN(
      const auto folder,
      VerifyFolder::Open(std::move(plan), FactsFrom::kListing, job));
  SHARDINE_ASSIGN_OR_RETURN(VerifyNotes notes,
                            CollectVerifyNotes(*folder, job.stop));
  if (!notes.missing.numbers.empty()) {
    return Finalized{.missing = std::move(notes.missing.numbers),
                     .first_missing = std::move(notes.missing.first)};
  }
  SHARDINE_RETURN_IF_ERROR(CheckTree(folder->part().options, job));
  SHARDINE_RETURN_IF_ERROR(
      NoteProver(*folder, notes, job).Run(options.proved_percent));
  FamilyVerifier verifier(folder->storage(), job.formats, folder->family(),
                          folder->part().options);
  SHARDINE_ASSIGN_OR_RETURN(
      VerifyResult report,
      verifier.Run([&](const DatasetShards&, std::size_t member,
                       std::size_t shard) -> Result<ShardOutcome> {
        return std::move(notes.outcomes[folder->FirstOf(member) + shard]);
      }));
  Sweep(folder->notes());
  return Finalized{.verified = VerifiedTasks{.options = folder->part().options,
                                             .result = std::move(report)}};
}

}  // namespace shardine
