// What is said of the tasks of a plan, whatever their kind.
#ifndef SHARDINE_TASKS_STATUS_PARTS_H_
#define SHARDINE_TASKS_STATUS_PARTS_H_

#include <vector>

#include "io/output_folder.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "tasks/plan_file.h"

namespace shardine {

// Numbers of tasks and samples by which shards are `done`, and the traces of
// those tasks that are not, from `output`.
Status FillStatus(const PlanFile& plan, const OutputFolder& output,
                  const std::vector<char>& done, TaskStatus& status);

}  // namespace shardine

#endif  // SHARDINE_TASKS_STATUS_PARTS_H_
