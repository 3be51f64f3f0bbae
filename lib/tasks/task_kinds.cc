#include "tasks/task_kinds.h"

#include <algorithm>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/storage_for.h"
#include "tasks/conversion_head.h"
#include "tasks/dataset_head.h"
#include "tasks/dataset_tasks.h"
#include "tasks/verify_head.h"
#include "tasks/verify_kind.h"

namespace shardine {
namespace {

constexpr TaskKindParts kKinds[] = {
    {.kind = TaskKind::kPack,
     .makes_dataset = true,
     .has_input = false,
     .write_head = WriteDatasetHead,
     .read_head = ReadDatasetHead,
     .run = RunDatasetTasks,
     .status = StatusOfDatasetTasks,
     .finalize = FinalizeDatasetTasks},
    {.kind = TaskKind::kConvert,
     .makes_dataset = true,
     .has_input = true,
     .write_head = WriteConversionHead,
     .read_head = ReadConversionHead,
     .run = RunDatasetTasks,
     .status = StatusOfDatasetTasks,
     .finalize = FinalizeDatasetTasks},
    {.kind = TaskKind::kResize,
     .makes_dataset = true,
     .has_input = true,
     .write_head = WriteConversionHead,
     .read_head = ReadConversionHead,
     .run = RunDatasetTasks,
     .status = StatusOfDatasetTasks,
     .finalize = FinalizeDatasetTasks},
    {.kind = TaskKind::kVerify,
     .makes_dataset = false,
     .has_input = false,
     .write_head = WriteVerifyHead,
     .read_head = ReadVerifyHead,
     .run = RunVerifyTasks,
     .status = StatusOfVerifyTasks,
     .finalize = FinalizeVerifyTasks},
};

Result<std::unique_ptr<PlanFile>> OpenPlan(const std::string& path,
                                           const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, path));
  return PlanFile::Open(*storage, path, job.formats);
}

// The kind of a plan that was opened.
const TaskKindParts& KindOf(const PlanFile& plan) {
  return *FindTaskKind(plan.head().kind);
}

}  // namespace

const TaskKindParts* FindTaskKind(TaskKind kind) {
  const auto* const found =
      std::ranges::find(kKinds, kind, &TaskKindParts::kind);
  return found == std::end(kKinds) ? nullptr : found;
}

Result<TaskRun> RunTasks(const TaskRunOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(auto plan, OpenPlan(options.plan, job));
  for (const std::uint64_t task : options.tasks) {
    if (task < plan->tasks()) continue;
    return Status(Code::kInvalidArgument,
                  "there is no task " + std::to_string(task) +
                      ": the plan has " + std::to_string(plan->tasks()) +
                      ", which count from 0")
        .At({.path = options.plan});
  }
  const TaskKindParts& kind = KindOf(*plan);
  return kind.run(std::move(plan), options, job);
}

Result<TaskStatus> StatusOfTasks(const std::string& plan, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(auto opened, OpenPlan(plan, job));
  const TaskKindParts& kind = KindOf(*opened);
  return kind.status(std::move(opened), job);
}

Result<Finalized> FinalizeTasks(const FinalizeOptions& options,
                                const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(auto plan, OpenPlan(options.plan, job));
  const TaskKindParts& kind = KindOf(*plan);
  return kind.finalize(std::move(plan), options, job);
}

Result<std::uint64_t> CountTasks(const std::string& plan, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, OpenPlan(plan, job));
  return opened->tasks();
}

}  // namespace shardine
