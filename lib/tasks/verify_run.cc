#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/attempt_storage.h"
#include "io/random_token.h"
#include "pipeline/parallel_for.h"
#include "pipeline/shared_progress.h"
#include "tasks/machine_error.h"
#include "tasks/task_traces.h"
#include "tasks/verify_folder.h"
#include "tasks/verify_kind.h"
#include "tasks/verify_reach.h"
#include "verify/dataset_shards.h"

namespace shardine {
namespace {

// The finding that the data could not be read here and now, which is no damage.
const Status* Unreadable(const ShardOutcome& outcome) {
  const auto found =
      std::ranges::find(outcome.findings, Code::kIo, &Status::code);
  return found == outcome.findings.end() ? nullptr : &*found;
}

// The datasets of a plan, each opened when the first of its shards is verified.
class OpenMembers {
 public:
  OpenMembers(const VerifyFolder& folder, unsigned threads, const Job& job)
      : folder_(folder), threads_(threads), job_(job) {}

  Status Open(std::size_t number) {
    if (members_.contains(number)) return Status();
    const DatasetFamily::Member& member = folder_.family().members()[number];
    Member& opened = members_[number];
    opened.options = OptionsOfMember(folder_.part().options, member);
    opened.options.threads = threads_;
    auto shards = OpenMember(folder_, number, opened.options, job_);
    if (!shards.ok()) {
      members_.erase(number);
      return std::move(shards).status();
    }
    opened.shards = *std::move(shards);
    return Status();
  }

  // REQUIRES: it was opened.
  const DatasetShards& Of(std::size_t number) const {
    return *members_.at(number).shards;
  }

 private:
  struct Member {
    VerifyOptions options;
    std::unique_ptr<DatasetShards> shards;
  };

  const VerifyFolder& folder_;
  const unsigned threads_;
  const Job& job_;
  std::map<std::size_t, Member> members_;
};

// One process at work on some tasks of a plan.
class VerifyRunner {
 public:
  VerifyRunner(const VerifyFolder& folder, const TaskRunOptions& options,
               const Job& job)
      : folder_(folder),
        options_(options),
        job_(job),
        attempt_(RandomToken()),
        storage_(folder.notes().storage(), attempt_),
        notes_(storage_, folder.notes().path()),
        members_(folder, options.threads, job),
        progress_(job.progress) {
    run_.findings = 0;
    for (const std::uint64_t task : options.tasks) {
      const PlanFile::Range range = folder.plan().ShardsOf(task);
      for (std::size_t i = range.first; i < range.last; ++i) {
        const PlanShard& shard = folder.plan().shards()[i];
        progress_.AddToTotal(shard.planned.count, shard.bytes);
      }
    }
  }

  Status Run(std::uint64_t task);
  // The first shard of which a file could not be read.
  const Status& unreadable() const { return unreadable_; }
  TaskRun Take() { return std::move(run_); }

 private:
  Result<std::vector<std::size_t>> FindMissing(std::uint64_t task);
  Status Verify(std::uint64_t task, const std::vector<std::size_t>& missing);
  Result<ShardOutcome> VerifyShard(std::size_t shard, Heartbeat& heartbeat);
  Status Note(std::size_t shard, const ShardOutcome& outcome);

  const VerifyFolder& folder_;
  const TaskRunOptions& options_;
  const Job& job_;
  const std::string attempt_;
  AttemptStorage storage_;
  const OutputFolder notes_;
  OpenMembers members_;
  SharedProgress progress_;
  Status unreadable_;
  TaskRun run_;
};

Status VerifyRunner::Run(std::uint64_t task) {
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<std::size_t> missing,
                            FindMissing(task));
  ++run_.tasks;
  if (missing.empty()) {
    ++run_.tasks_done_before;
    return Status();
  }
  SHARDINE_RETURN_IF_ERROR(storage_.CreateDirectories(notes_.WorkPath("")));
  const Status status = Verify(task, missing);
  SaveEnd(notes_, task, status);
  return status;
}

Result<std::vector<std::size_t>> VerifyRunner::FindMissing(std::uint64_t task) {
  std::vector<std::size_t> missing;
  const PlanFile::Range range = folder_.plan().ShardsOf(task);
  for (std::size_t i = range.first; i < range.last; ++i) {
    const auto outcome = folder_.FindDone(i);
    if (!outcome.ok() && IsMachineError(outcome.status()))
      return outcome.status();
    if (outcome.ok() && Unreadable(*outcome) == nullptr) {
      *run_.findings += outcome->findings.size();
    } else {
      missing.push_back(i);
    }
  }
  return missing;
}

Status VerifyRunner::Verify(std::uint64_t task,
                            const std::vector<std::size_t>& missing) {
  std::uint64_t samples = 0;
  for (const std::size_t shard : missing) {
    samples += folder_.plan().shards()[shard].planned.count;
    SHARDINE_RETURN_IF_ERROR(members_.Open(folder_.PlaceOf(shard).member));
  }
  Heartbeat heartbeat(notes_, task, attempt_, samples,
                      std::chrono::duration<double>(options_.beat_seconds));
  std::mutex mutex;
  const unsigned threads =
      members_.Of(folder_.PlaceOf(missing.front()).member).threads();
  return ParallelFor(missing.size(), threads, [&](std::size_t i) {
    SHARDINE_ASSIGN_OR_RETURN(const ShardOutcome outcome,
                              VerifyShard(missing[i], heartbeat));
    SHARDINE_RETURN_IF_ERROR(Note(missing[i], outcome));
    const Status* const unreadable = Unreadable(outcome);
    const std::lock_guard lock(mutex);
    ++run_.shards;
    run_.samples += outcome.samples;
    run_.bytes += outcome.bytes;
    *run_.findings += outcome.findings.size();
    if (unreadable != nullptr && unreadable_.ok()) unreadable_ = *unreadable;
    return Status();
  });
}

// Its files are looked at before and after, so that a note is of files as they
// were when the work was planned.
Result<ShardOutcome> VerifyRunner::VerifyShard(std::size_t shard,
                                               Heartbeat& heartbeat) {
  SHARDINE_RETURN_IF_ERROR(folder_.CheckFacts(shard));
  const VerifyFolder::Place place = folder_.PlaceOf(shard);
  const auto on_record = [&](std::uint64_t bytes) {
    progress_.AddSample(bytes);
    heartbeat.Add(1);
  };
  auto outcome =
      members_.Of(place.member).Verify(place.shard, on_record, job_.stop);
  SHARDINE_RETURN_IF_ERROR(folder_.CheckFacts(shard));
  return outcome;
}

Status VerifyRunner::Note(std::size_t shard, const ShardOutcome& outcome) {
  const VerifyNote note{.plan = folder_.plan().digest(),
                        .shard = shard,
                        .facts = folder_.plan().shards()[shard].facts,
                        .outcome = outcome};
  Status status = WriteFileAtomically(storage_, VerifyNotePath(notes_, shard),
                                      AsBytes(VerifyNoteText(note)));
  // Whoever finalizes removes unfinished files, those of a twin of an attempt
  // that was quicker, too.
  if (!status.ok() && folder_.FindDone(shard).ok()) status = Status();
  return status;
}

}  // namespace

Result<TaskRun> RunVerifyTasks(std::unique_ptr<PlanFile> plan,
                               const TaskRunOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(
      const auto folder,
      VerifyFolder::Open(std::move(plan), FactsFrom::kFiles, job));
  SHARDINE_RETURN_IF_ERROR(CheckTree(folder->part().options, job));
  VerifyRunner runner(*folder, options, job);
  Status first;
  for (const std::uint64_t task : options.tasks) {
    Status status = runner.Run(task);
    if (IsMachineError(status)) return status;
    if (first.ok() && !status.ok()) first = std::move(status);
  }
  SHARDINE_RETURN_IF_ERROR(first);
  SHARDINE_RETURN_IF_ERROR(runner.unreadable());
  return runner.Take();
}

}  // namespace shardine
