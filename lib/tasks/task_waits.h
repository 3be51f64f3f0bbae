// How many threads look at the notes of tasks at a time.
#ifndef SHARDINE_TASKS_TASK_WAITS_H_
#define SHARDINE_TASKS_TASK_WAITS_H_

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pipeline/processor_share.h"

namespace shardine {

// Many where each answer takes a while.
inline unsigned WaitingThreads(ReadableStorage& storage) {
  constexpr unsigned kWaiting = 32;
  return storage.many_files() == nullptr ? ThreadCount(0) : kWaiting;
}
inline unsigned WaitingThreads(const OutputFolder& output) {
  return WaitingThreads(output.storage());
}

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_WAITS_H_
