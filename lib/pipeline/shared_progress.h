// SharedProgress: the progress of several threads, told to one function.
#ifndef SHARDINE_PIPELINE_SHARED_PROGRESS_H_
#define SHARDINE_PIPELINE_SHARED_PROGRESS_H_

#include <cstdint>
#include <mutex>

#include "shardine/progress.h"

namespace shardine {

// Calls the function from one thread at a time. Thread-safe where not said
// otherwise. The function must outlive it.
class SharedProgress {
 public:
  explicit SharedProgress(const ProgressFunction& function)
      : function_(function) {}

  // Not while threads are at work.
  void AddToTotal(std::uint64_t samples, std::uint64_t bytes) {
    progress_.samples_total += samples;
    progress_.bytes_total += bytes;
  }

  void AddSample(std::uint64_t bytes, bool rejected = false) {
    const std::lock_guard lock(mutex_);
    ++progress_.samples;
    progress_.bytes += bytes;
    progress_.rejected += rejected ? 1 : 0;
    if (function_) function_(progress_);
  }

  // Not while threads are at work.
  const Progress& progress() const { return progress_; }

 private:
  const ProgressFunction& function_;
  std::mutex mutex_;
  Progress progress_;  // guarded by mutex_
};

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_SHARED_PROGRESS_H_
