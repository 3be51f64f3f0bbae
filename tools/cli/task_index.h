// Which process of an array of them this one is, as their launcher says it.
#ifndef SHARDINE_CLI_TASK_INDEX_H_
#define SHARDINE_CLI_TASK_INDEX_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "shardine/status.h"

namespace shardine {

struct TaskIndex {
  std::uint64_t index = 0;
  // The number of tasks where it is known, as for ranks.
  std::optional<std::uint64_t> of = {};
};

// By the first of these that is set: JOB_COMPLETION_INDEX (Kubernetes),
// AWS_BATCH_JOB_ARRAY_INDEX, SLURM_ARRAY_TASK_ID, and the ranks of Open MPI,
// MPICH and srun with their number. `variable` is as getenv(): null for a
// variable that is not set. kInvalidArgument: none is set, or one is no number.
Result<TaskIndex> FindTaskIndex(
    const std::function<const char*(const char*)>& variable);

}  // namespace shardine

#endif  // SHARDINE_CLI_TASK_INDEX_H_
