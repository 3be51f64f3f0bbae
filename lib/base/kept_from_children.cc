#include "base/kept_from_children.h"

#include <unistd.h>

#include <mutex>

#include "base/fork_mutex.h"

namespace shardine {
namespace {

constinit KeptFromChildren* first_kept = nullptr;  // guarded by ForkMutex()

}  // namespace

KeptFromChildren::KeptFromChildren(int descriptor) : descriptor_(descriptor) {
  AtForkInChild(CloseAll);
  const std::lock_guard lock(ForkMutex());
  next_ = first_kept;
  if (next_ != nullptr) next_->before_ = this;
  first_kept = this;
}

KeptFromChildren::~KeptFromChildren() {
  const std::lock_guard lock(ForkMutex());
  (before_ == nullptr ? first_kept : before_->next_) = next_;
  if (next_ != nullptr) next_->before_ = before_;
  if (descriptor_ >= 0) ::close(descriptor_);
}

void KeptFromChildren::CloseAll() {
  for (auto* each = first_kept; each != nullptr; each = each->next_) {
    if (each->descriptor_ >= 0) ::close(each->descriptor_);
    each->descriptor_ = -1;
  }
}

}  // namespace shardine
