// Hands the output to a task's plan, before the task writes. A plan file alone
// does not change the output.
#ifndef SHARDINE_TASKS_TAKE_OUTPUT_H_
#define SHARDINE_TASKS_TAKE_OUTPUT_H_

#include <cstddef>
#include <stop_token>
#include <vector>

#include "io/output_folder.h"
#include "shardine/status.h"
#include "tasks/task_folder.h"

namespace shardine {

// Writes the journal, or takes over one of the same command. Removes files of
// `missing` shards that earlier work of the command made of other sources or by
// another plan, and shards that the plan no longer has, when the journal
// becomes this plan's. Attempts that do so at once take turns. `attempt` is the
// output as the attempt writes it.
//
// kChanged: other work is under way in the folder. kAlreadyExists, naming the
// file: a file that would have to go is not shown to be ours.
Status TakeOutput(const TaskFolder& folder, const OutputFolder& attempt,
                  const std::vector<std::size_t>& missing,
                  const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_TASKS_TAKE_OUTPUT_H_
