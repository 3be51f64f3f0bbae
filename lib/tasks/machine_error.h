// Failures of the machine that a task runs on, not of the task.
#ifndef SHARDINE_TASKS_MACHINE_ERROR_H_
#define SHARDINE_TASKS_MACHINE_ERROR_H_

#include "shardine/status.h"

namespace shardine {

// Failures to reach the data, or a stop, which say nothing of the work: the
// task may succeed elsewhere.
inline bool IsMachineError(const Status& status) {
  return status.code() == Code::kIo || status.code() == Code::kRemote ||
         status.code() == Code::kCancelled;
}

}  // namespace shardine

#endif  // SHARDINE_TASKS_MACHINE_ERROR_H_
