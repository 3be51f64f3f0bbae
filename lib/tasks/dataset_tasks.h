// The functions of shardine/tasks.h for plans whose tasks make the shards of a
// dataset. Failures as there.
#ifndef SHARDINE_TASKS_DATASET_TASKS_H_
#define SHARDINE_TASKS_DATASET_TASKS_H_

#include <memory>

#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "tasks/plan_file.h"

namespace shardine {

// REQUIRES: the plan has all these tasks.
Result<TaskRun> RunDatasetTasks(std::unique_ptr<PlanFile> plan,
                                const TaskRunOptions& options, const Job& job);
Result<TaskStatus> StatusOfDatasetTasks(std::unique_ptr<PlanFile> plan,
                                        const Job& job);
Result<Finalized> FinalizeDatasetTasks(std::unique_ptr<PlanFile> plan,
                                       const FinalizeOptions& options,
                                       const Job& job);

}  // namespace shardine

#endif  // SHARDINE_TASKS_DATASET_TASKS_H_
