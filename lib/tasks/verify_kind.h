// The functions of shardine/tasks.h for plans of verifications. Failures as
// there, and as VerifyFolder::Open().
#ifndef SHARDINE_TASKS_VERIFY_KIND_H_
#define SHARDINE_TASKS_VERIFY_KIND_H_

#include <memory>

#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "tasks/plan_file.h"

namespace shardine {

// A shard of which a file could not be read is noted with that as a finding,
// and its task fails with it (kIo) when all others were run; it is looked at
// again when the task is run again. REQUIRES: the plan has all these tasks.
Result<TaskRun> RunVerifyTasks(std::unique_ptr<PlanFile> plan,
                               const TaskRunOptions& options, const Job& job);
Result<TaskStatus> StatusOfVerifyTasks(std::unique_ptr<PlanFile> plan,
                                       const Job& job);
// Removes files that killed attempts left beside the notes; the notes stay.
Result<Finalized> FinalizeVerifyTasks(std::unique_ptr<PlanFile> plan,
                                      const FinalizeOptions& options,
                                      const Job& job);

}  // namespace shardine

#endif  // SHARDINE_TASKS_VERIFY_KIND_H_
