// How many threads look at the notes of tasks at a time, and how long an
// attempt waits for another one that has the output's lock.
#ifndef SHARDINE_TASKS_TASK_WAITS_H_
#define SHARDINE_TASKS_TASK_WAITS_H_

#include <chrono>

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pipeline/processor_share.h"

namespace shardine {

inline constexpr std::chrono::milliseconds kLockPause{100};
inline constexpr int kLockPauses = 600;

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
