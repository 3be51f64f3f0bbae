// The status of the tasks of a plan, whatever their kind.
#ifndef SHARDINE_TASKS_STATUS_PARTS_H_
#define SHARDINE_TASKS_STATUS_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "tasks/plan_file.h"

namespace shardine {

// Tasks of which a shard is not done.
struct MissingTasks {
  std::vector<std::uint64_t> numbers;  // ascending
  std::string first;                   // why the first of them is not done
};
// `failures` say of each shard why it is not done; OK: it is.
MissingTasks FindMissing(const PlanFile& plan,
                         const std::vector<Status>& failures);

// Numbers of tasks and samples by which shards are `done`, and the traces of
// those tasks that are not, from `output`.
Status FillStatus(const PlanFile& plan, const OutputFolder& output,
                  const std::vector<char>& done, TaskStatus& status);

}  // namespace shardine

#endif  // SHARDINE_TASKS_STATUS_PARTS_H_
