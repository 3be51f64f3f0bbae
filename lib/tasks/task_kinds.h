// The kinds of plans, and all that differs between them: the fields of a head
// beside the common ones, and how to run, report and finalize a plan. To add a
// kind is to add a line to the table in task_kinds.cc.
#ifndef SHARDINE_TASKS_TASK_KINDS_H_
#define SHARDINE_TASKS_TASK_KINDS_H_

#include <memory>

#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "tasks/plan_fields.h"
#include "tasks/plan_file.h"
#include "tasks/plan_head.h"
#include "tasks/task_kind.h"

namespace shardine {

struct TaskKindParts {
  TaskKind kind;
  // The table has the shards of a dataset that is to be made, in the head's
  // format, with names as a dataset of its own has them.
  bool makes_dataset;
  // Its samples come from another dataset, so that the head has an `input` and
  // the rows say which they are (tasks/plan_numbers.h), and not from files.
  bool has_input;

  void (*write_head)(const PlanHead& head, FieldWriter& fields);
  // False: it has impossible values.
  bool (*read_head)(FieldReader& fields, PlanHead& head);

  // As the functions of shardine/tasks.h that have the plan's path.
  Result<TaskRun> (*run)(std::unique_ptr<PlanFile> plan,
                         const TaskRunOptions& options, const Job& job);
  Result<TaskStatus> (*status)(std::unique_ptr<PlanFile> plan, const Job& job);
  Result<Finalized> (*finalize)(std::unique_ptr<PlanFile> plan,
                                const FinalizeOptions& options, const Job& job);
};

// Null: no plan is of this kind.
const TaskKindParts* FindTaskKind(TaskKind kind);

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_KINDS_H_
