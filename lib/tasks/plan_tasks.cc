#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/ignored.h"
#include "pack/pack_plan.h"
#include "shardine/tasks.h"
#include "source/output_place.h"
#include "source/source_storage.h"
#include "tasks/plan_paths.h"
#include "tasks/plan_writing.h"

namespace shardine {

Result<TaskPlan> PlanTasks(const TaskPlanOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  PackOptions pack = options.pack;
  SHARDINE_RETURN_IF_ERROR(CheckPlace(PathForAll(job, options.plan),
                                      PathForAll(job, pack.output), "the plan",
                                      "the output"));
  SHARDINE_ASSIGN_OR_RETURN(const auto sources, OpenSources(job, pack.source));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, pack.output));
  SHARDINE_ASSIGN_OR_RETURN(pack.kinds, KindsFor(output, pack));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder beside,
                            OutputFolder::Of(job, DirectoryOf(options.plan)));
  SHARDINE_RETURN_IF_ERROR(
      RefusePlanInSource(*sources, pack.source, beside, options.plan));
  SHARDINE_ASSIGN_OR_RETURN(
      const DatasetPlan planned,
      MakePackPlan(*sources, output, pack, job.formats, job.say));
  const PlanHead head = HeadOfPack(pack, planned, options.task_bytes, job);
  SHARDINE_ASSIGN_OR_RETURN(TaskPlan plan,
                            WritePlan({.path = options.plan,
                                       .head = head,
                                       .planned = planned,
                                       .input = nullptr,
                                       .output = output,
                                       .judged = JudgementOf(pack)},
                                      job));
  plan.ignored = IgnoredCounts(CountIgnored(planned.plan.source()));
  return plan;
}

}  // namespace shardine
