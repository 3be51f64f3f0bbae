#include <list>
#include <utility>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/attempt_storage.h"
#include "io/random_token.h"
#include "pack/journal.h"
#include "pack/output_state.h"
#include "pack/pack_pipeline.h"
#include "pack/shard_notes.h"
#include "pack/shard_publisher.h"
#include "pipeline/parallel_for.h"
#include "tasks/dataset_tasks.h"
#include "tasks/machine_error.h"
#include "tasks/restore_lost.h"
#include "tasks/take_output.h"
#include "tasks/task_folder.h"
#include "tasks/task_note.h"
#include "tasks/task_part.h"
#include "tasks/task_traces.h"

namespace shardine {
namespace {

// To run the task again is no way out where a source is another, as it is for a
// pack.
Status SayToPlanAgain(const Status& status) {
  if (status.code() != Code::kChanged) return status;
  return Status(Code::kChanged,
                "changed or vanished since the work was planned; plan again")
      .At(status.where());
}

// One process at work on some tasks of a plan.
class TaskRunner {
 public:
  TaskRunner(const TaskFolder& folder, const TaskRunOptions& options,
             const Job& job)
      : folder_(folder),
        options_(options),
        job_(job),
        attempt_(RandomToken()),
        storage_(folder.output().storage(), attempt_),
        output_(storage_, folder.output().path()) {
    for (const std::uint64_t task : options.tasks) {
      const PlanFile::Range range = folder.plan().ShardsOf(task);
      for (std::size_t i = range.first; i < range.last; ++i) {
        const PlanShard& shard = folder.plan().shards()[i];
        progress_.samples_total += shard.planned.count;
        progress_.bytes_total += shard.bytes;
      }
    }
  }

  Status Run(std::uint64_t task) {
    SHARDINE_ASSIGN_OR_RETURN(const std::vector<std::size_t> missing,
                              FindMissing(task));
    ++run_.tasks;
    if (missing.empty()) {
      ++run_.tasks_done_before;
      return Status();
    }
    Status status = TakeOutput(folder_, output_, missing, job_.stop);
    if (status.ok()) status = Make(task, missing);
    SaveEnd(output_, task, status);
    return status;
  }

  TaskRun Take() { return std::move(run_); }

 private:
  Result<std::vector<std::size_t>> FindMissing(std::uint64_t task);
  Status Make(std::uint64_t task, const std::vector<std::size_t>& missing);
  Result<ShardWork> FindWork(const DatasetPlan& planned, std::size_t shard,
                             const std::list<ShardPublisher>& publishers) const;
  Status Write(const TaskPart& part, const std::vector<ShardWork>& work,
               Heartbeat& heartbeat);
  Status Note(const DatasetPlan& planned, const PlannedShard& shard);

  const TaskFolder& folder_;
  const TaskRunOptions& options_;
  const Job& job_;
  const std::string attempt_;
  AttemptStorage storage_;
  const OutputFolder output_;
  Progress progress_;
  TaskRun run_;
};

Result<std::vector<std::size_t>> TaskRunner::FindMissing(std::uint64_t task) {
  std::vector<std::size_t> missing;
  const PlanFile::Range range = folder_.plan().ShardsOf(task);
  for (std::size_t i = range.first; i < range.last; ++i) {
    const PlanShard& shard = folder_.plan().shards()[i];
    const auto note = folder_.FindDone(shard);
    if (!note.ok()) {
      if (IsMachineError(note.status())) return note.status();
      missing.push_back(i);
      continue;
    }
    run_.left_out += note->left_out.size();
    progress_.samples += shard.planned.count;
    progress_.bytes += shard.bytes;
  }
  return missing;
}

// The variants that lack the shard; those of an attempt that was killed before
// it wrote the note are kept.
Result<ShardWork> TaskRunner::FindWork(
    const DatasetPlan& planned, std::size_t shard,
    const std::list<ShardPublisher>& publishers) const {
  const PlannedShard& part = planned.plan.shards()[shard];
  SHARDINE_ASSIGN_OR_RETURN(const auto noted,
                            ReadShardNotes(output_, part.name));
  // Only the note of a finished task vouches for the list of samples left out
  // of a shard, and this one has no note.
  const bool as_now =
      noted && !noted->has_rejects && noted->part == part.digest &&
      noted->facts == FactsDigest(planned.plan, part) &&
      HoldsUnder(noted->judged, noted->has_rejects, folder_.judged());
  ShardWork work{.shard = shard, .publishers = {}};
  for (const ShardPublisher& publisher : publishers) {
    bool finished = false;
    if (as_now) {
      SHARDINE_ASSIGN_OR_RETURN(
          finished,
          publisher.IsFinished(part, noted->FactsOf(publisher.variant())));
    }
    if (!finished) work.publishers.push_back(&publisher);
  }
  return work;
}

Status TaskRunner::Make(std::uint64_t task,
                        const std::vector<std::size_t>& missing) {
  SHARDINE_ASSIGN_OR_RETURN(const auto sources, folder_.OpenSources());
  const auto part =
      TaskPart::Read(folder_.plan(), missing, *sources, output_, job_);
  if (!part.ok()) return SayToPlanAgain(part.status());
  const DatasetPlan& planned = (*part)->planned();
  Heartbeat heartbeat(output_, task, attempt_,
                      planned.plan.source().samples.size(),
                      std::chrono::duration<double>(options_.beat_seconds));
  std::list<ShardPublisher> publishers;
  for (const PlannedVariant& variant : planned.variants) {
    const OutputFolder folder = output_.Below(variant.folder);
    SHARDINE_RETURN_IF_ERROR(storage_.CreateDirectories(folder.path()));
    publishers.emplace_back(output_, planned, variant, Twins::kAny);
  }
  std::vector<ShardWork> work;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    SHARDINE_ASSIGN_OR_RETURN(ShardWork one, FindWork(planned, i, publishers));
    if (!one.publishers.empty()) {
      work.push_back(std::move(one));
      continue;
    }
    const PlannedShard& shard = planned.plan.shards()[i];
    SHARDINE_RETURN_IF_ERROR(Note(planned, shard));
    progress_.samples += shard.count;
  }
  return work.empty() ? Status() : Write(**part, work, heartbeat);
}

Status TaskRunner::Write(const TaskPart& part,
                         const std::vector<ShardWork>& work,
                         Heartbeat& heartbeat) {
  const DatasetPlan& planned = part.planned();
  const VariantOptions& variants = folder_.plan().head().pack.variants;
  PackPipeline pipeline(planned, part.preparer(),
                        {.output = output_,
                         .threads = ThreadCount(options_.threads),
                         .made_per_sample = EstimateSizes(variants),
                         .judged = folder_.judged(),
                         .published = [&](const PlannedShard& shard) {
                           return Note(planned, shard);
                         }});
  const std::uint64_t before = progress_.samples;
  const auto report = [&](const Progress& done) {
    heartbeat.Report(done.samples - before);
    if (job_.progress) job_.progress(done);
  };
  const Status packed = pipeline.Run(work, report, progress_, job_.stop);
  if (!packed.ok()) return SayToPlanAgain(packed);
  for (std::string& warning : pipeline.images().Warnings()) {
    run_.warnings.push_back(std::move(warning));
  }
  for (const ShardWork& one : work) {
    ++run_.shards;
    run_.samples += planned.plan.shards()[one.shard].count;
  }
  run_.bytes += planned.plan.bytes();
  return Status();
}

Status TaskRunner::Note(const DatasetPlan& planned, const PlannedShard& shard) {
  SHARDINE_ASSIGN_OR_RETURN(
      const TaskNote note,
      DescribeShard(output_, planned, shard, folder_.judged()));
  run_.left_out += note.left_out.size();
  Status noted = WriteFileAtomically(
      storage_, TaskNotePath(output_, shard.name), AsBytes(TaskNoteText(note)));
  if (noted.code() != Code::kNotFound) return noted;
  // Others see the note once it has its name. A finalize that reads it then may
  // remove its folder before that is synced.
  SHARDINE_ASSIGN_OR_RETURN(const OutputState state, folder_.FindState());
  return state.has_all_manifests() ? Status() : noted;
}

}  // namespace

Result<TaskRun> RunDatasetTasks(std::unique_ptr<PlanFile> plan,
                                const TaskRunOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const TaskFolder folder,
                            TaskFolder::Open(std::move(plan), job));
  TaskRun done{.tasks = options.tasks.size(),
               .tasks_done_before = options.tasks.size(),
               .dataset_is_done = true,
               .warnings = {}};
  SHARDINE_ASSIGN_OR_RETURN(OutputState state, folder.FindState());
  if (state.has_all_manifests()) {
    SHARDINE_RETURN_IF_ERROR(RestoreLost(folder, options, job, done));
    return done;
  }
  TaskRunner runner(folder, options, job);
  // A bad image of one task is no reason to leave the others.
  Status first;
  for (const std::uint64_t task : options.tasks) {
    Status status = runner.Run(task);
    if (IsMachineError(status)) return status;
    if (first.ok() && !status.ok()) first = std::move(status);
  }
  SHARDINE_RETURN_IF_ERROR(first);
  // Another attempt may have been quicker, and the dataset be whole by now:
  // then nothing reads the notes of this one.
  SHARDINE_ASSIGN_OR_RETURN(state, folder.FindState());
  const bool finalized = state.has_all_manifests();
  if (finalized)
    SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(folder.output()));
  TaskRun run = runner.Take();
  run.dataset_is_done = finalized;
  return run;
}

}  // namespace shardine
