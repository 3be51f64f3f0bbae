#include "tasks/restore_lost.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "io/folder_lock.h"
#include "pack/journal.h"
#include "pack/output_state.h"
#include "pack/pack_pipeline.h"
#include "pack/shard_restorer.h"
#include "pipeline/parallel_for.h"
#include "tasks/task_part.h"
#include "tasks/task_waits.h"

namespace shardine {
namespace {

Result<FolderLock> LockPatiently(const OutputFolder& output,
                                 const std::stop_token& stop) {
  for (int pauses = 0;; ++pauses) {
    auto lock = output.Lock();
    if (lock.ok() || lock.status().code() != Code::kAlreadyExists ||
        pauses == kLockPauses) {
      return lock;
    }
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    std::this_thread::sleep_for(kLockPause);
  }
}

// All lost shards of these tasks.
std::vector<std::size_t> FindLost(const TaskFolder& folder,
                                  const std::vector<std::uint64_t>& tasks,
                                  const OutputState& state,
                                  std::uint64_t& whole_tasks) {
  std::vector<std::size_t> shards;
  whole_tasks = 0;
  for (const std::uint64_t task : tasks) {
    const std::vector<std::size_t> lost = folder.LostShards(state, task);
    whole_tasks += lost.empty() ? 1 : 0;
    shards.insert(shards.end(), lost.begin(), lost.end());
  }
  return shards;
}

Status Make(const TaskFolder& folder, const std::vector<std::size_t>& shards,
            const OutputState& state, unsigned threads, const Job& job,
            TaskRun& run) {
  const OutputFolder& output = folder.output();
  SHARDINE_ASSIGN_OR_RETURN(const auto sources, folder.OpenSources());
  SHARDINE_ASSIGN_OR_RETURN(
      const auto part,
      TaskPart::Read(folder.plan(), shards, *sources, output, job));
  const DatasetPlan& planned = part->planned();
  const ShardRestorers restorers(output, planned, state);
  std::vector<ShardWork> work;
  SHARDINE_RETURN_IF_ERROR(restorers.Begin(work));
  const VariantOptions& variants = folder.plan().head().pack.variants;
  PackPipeline pipeline(planned, part->preparer(),
                        {.output = output,
                         .threads = ThreadCount(threads),
                         .made_per_sample = EstimateSizes(variants),
                         .judged = folder.judged(),
                         .published = [&](const PlannedShard& shard) {
                           return restorers.Place(shard);
                         }});
  Progress done{.samples_total = planned.plan.source().samples.size(),
                .bytes_total = planned.plan.bytes()};
  const Status made = pipeline.Run(work, job.progress, done, job.stop);
  restorers.End();
  SHARDINE_RETURN_IF_ERROR(made);
  run.shards += shards.size();
  run.samples += planned.plan.source().samples.size();
  run.bytes += planned.plan.bytes();
  return Status();
}

// A source that is another says which file it leaves lost.
Status NameLost(const Status& status, const TaskFolder& folder,
                const OutputState& state) {
  if (status.code() != Code::kChanged) return status;
  const Status lost = folder.CheckNothingLost(state);
  if (status.where().path == lost.where().path) return status;
  return Status(Code::kChanged,
                "is lost and cannot be made again: " + status.ToString())
      .At({.path = lost.where().path});
}

}  // namespace

Status RestoreLost(const TaskFolder& folder, const TaskRunOptions& options,
                   const Job& job, TaskRun& run) {
  SHARDINE_ASSIGN_OR_RETURN(OutputState state, folder.FindState());
  if (FindLost(folder, options.tasks, state, run.tasks_done_before).empty()) {
    return Status();
  }
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock,
                            LockPatiently(folder.output(), job.stop));
  // Another attempt may have made them between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(state, folder.FindState());
  const std::vector<std::size_t> shards =
      FindLost(folder, options.tasks, state, run.tasks_done_before);
  if (!shards.empty()) {
    SHARDINE_RETURN_IF_ERROR(NameLost(
        Make(folder, shards, state, options.threads, job, run), folder, state));
  }
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(folder.output()));
  return lock.Release();
}

}  // namespace shardine
