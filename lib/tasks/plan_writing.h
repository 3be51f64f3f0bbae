// From a plan to its file: the part that plans of all kinds that make a dataset
// share.
#ifndef SHARDINE_TASKS_PLAN_WRITING_H_
#define SHARDINE_TASKS_PLAN_WRITING_H_

#include <cstdint>
#include <string>

#include "dataset/dataset_samples.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "tasks/plan_head.h"

namespace shardine {

// A head of a pack, of whose options those that the tasks need are to be set:
// beside the output all.
PlanHead HeadOf(const std::string& output, const DatasetPlan& planned,
                std::uint64_t task_bytes, const Job& job);

// The head of a pack with all its options.
PlanHead HeadOfPack(const PackOptions& pack, const DatasetPlan& planned,
                    std::uint64_t task_bytes, const Job& job);

struct TasksToWrite {
  const std::string& path;  // of the file
  const PlanHead& head;
  const DatasetPlan& planned;
  const DatasetSamples* input;  // of kinds that have one, else null
  const OutputFolder& output;
  Judgement judged;
};

// Looks at the output, writes the file and nothing else. The caller fills
// `ignored` and `fields_left` of the result. Failures as PlanTasks().
Result<TaskPlan> WritePlan(const TasksToWrite& tasks, const Job& job);

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_WRITING_H_
