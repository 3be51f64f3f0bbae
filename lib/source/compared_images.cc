#include "source/compared_images.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace shardine {

void UnreadImages::Add(std::uint64_t position, const Status& why) {
  const std::lock_guard lock(mutex_);
  if (why.code() == Code::kUnsupported) {
    unsupported_.insert(position);
    return;
  }
  if (!positions_.insert(position).second) return;
  named_.emplace(position, why);
  if (named_.size() > kMostNamed) named_.erase(std::prev(named_.end()));
}

std::uint64_t UnreadImages::count() const {
  const std::lock_guard lock(mutex_);
  return positions_.size();
}

std::uint64_t UnreadImages::unsupported() const {
  const std::lock_guard lock(mutex_);
  return unsupported_.size();
}

std::vector<Status> UnreadImages::Named() const {
  const std::lock_guard lock(mutex_);
  std::vector<Status> named;
  for (const auto& each : named_) named.push_back(each.second);
  return named;
}

bool IsOfImage(const Status& status) {
  return status.code() == Code::kCorrupt || status.code() == Code::kUnsupported;
}

std::vector<bool> SmallestOf(std::span<const std::uint64_t> counts,
                             std::uint64_t most) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return counts[i]; });
  std::vector<bool> is_small(counts.size());
  std::uint64_t sum = 0;
  for (const std::size_t i : order) {
    sum += counts[i];
    is_small[i] = sum <= most;
  }
  return is_small;
}

}  // namespace shardine
