// Turn: work that one thread of a process does at a time while others look now
// and then whether it ended. The child of a fork finds it free: the thread that
// was at it stayed in the parent.
#ifndef SHARDINE_BASE_TURN_H_
#define SHARDINE_BASE_TURN_H_

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/fork_mutex.h"

namespace shardine {

// Thread-safe.
class Turn {
 public:
  // False: another thread of this process has it.
  bool Take() {
    const std::lock_guard lock(ForkMutex());
    if (process_ == ForkGeneration()) return false;
    process_ = ForkGeneration();
    return true;
  }
  void End() {
    const std::lock_guard lock(ForkMutex());
    process_.reset();
  }

 private:
  std::optional<std::uint64_t> process_;  // guarded by ForkMutex()
};

// Ends a turn that was taken, whatever happens.
class TurnEnd {
 public:
  explicit TurnEnd(Turn& turn) : turn_(turn) {}
  ~TurnEnd() { turn_.End(); }
  TurnEnd(const TurnEnd&) = delete;
  TurnEnd& operator=(const TurnEnd&) = delete;

 private:
  Turn& turn_;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_TURN_H_
