#include "pack/checker_pool.h"

#include <optional>
#include <utility>

namespace shardine {

CheckedImage CheckerPool::Check(ByteView image) const {
  std::optional<ImageChecker> checker;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      checker = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!checker) checker.emplace(options_);
  CheckedImage checked = checker->Check(image);
  const std::lock_guard lock(mutex_);
  free_.push_back(*std::move(checker));
  return checked;
}

}  // namespace shardine
