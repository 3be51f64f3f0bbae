// How many threads look at the notes of tasks at a time.
#ifndef SHARDINE_TASKS_TASK_WAITS_H_
#define SHARDINE_TASKS_TASK_WAITS_H_

#include "io/output_folder.h"
#include "pipeline/processor_share.h"

namespace shardine {

// Many where each answer takes a while.
inline unsigned WaitingThreads(const OutputFolder& output) {
  constexpr unsigned kWaiting = 32;
  return output.storage().many_files() == nullptr ? ThreadCount(0) : kWaiting;
}

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_WAITS_H_
