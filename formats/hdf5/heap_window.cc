#include "hdf5/heap_window.h"

#include <utility>

namespace shardine {

FileWindow& HeapWindow::For(const HeapReference& row, std::uint64_t bytes) {
  if (row.length == 0) return forward_;
  const std::uint64_t before = std::exchange(last_, row.address);
  const std::uint64_t most = kNear + 2 * std::exchange(bytes_, bytes);
  const bool near = last_ >= before && last_ - before <= most;
  if (!std::exchange(first_, false)) in_order_ = near ? in_order_ + 1 : 0;
  // The fields of one sample lie together in any order of samples.
  return in_order_ >= fields_ ? forward_ : stray_;
}

}  // namespace shardine
