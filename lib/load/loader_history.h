// LoaderHistory: moments of a loader's work, few however long it runs.
#ifndef SHARDINE_LOAD_LOADER_HISTORY_H_
#define SHARDINE_LOAD_LOADER_HISTORY_H_

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "shardine/loader_stats.h"

namespace shardine {

// Thread-safe.
class LoaderHistory {
 public:
  static constexpr std::size_t kMost = 240;

  // Whether the interval since the last moment is over.
  bool IsDue(double seconds) const {
    return seconds >= next_.load(std::memory_order_relaxed);
  }
  // REQUIRES: the moment is not before the last one. A full history drops
  // every other moment, and doubles the interval.
  void Add(const LoaderMoment& moment);
  std::vector<LoaderMoment> moments() const;

 private:
  std::atomic<double> next_ = 0;  // seconds
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  double interval_ = 1.0 / 32;  // seconds
  std::vector<LoaderMoment> moments_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_LOADER_HISTORY_H_
