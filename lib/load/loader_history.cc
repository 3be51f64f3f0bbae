#include "load/loader_history.h"

#include <utility>

namespace shardine {

void LoaderHistory::Add(const LoaderMoment& moment) {
  const std::lock_guard lock(mutex_);
  moments_.push_back(moment);
  if (moments_.size() == kMost) {
    std::vector<LoaderMoment> kept;
    // The last one stays: sums lose nothing by the moments between.
    for (std::size_t i = 1; i < kMost; i += 2) kept.push_back(moments_[i]);
    moments_ = std::move(kept);
    interval_ *= 2;
  }
  next_.store(moment.seconds + interval_, std::memory_order_relaxed);
}

std::vector<LoaderMoment> LoaderHistory::moments() const {
  const std::lock_guard lock(mutex_);
  return moments_;
}

}  // namespace shardine
