#include "base/fork_mutex.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/check.h"

namespace shardine {
namespace {

// Neither has a guard of its own, which a fork could find taken.
constinit std::mutex fork_mutex;
constinit std::atomic<std::uint64_t> generation = 0;

using Action = void (*)();
constinit std::array<Action, 8> child_actions = {};  // guarded by fork_mutex

void InChild() {
  ++generation;
  for (const Action action : child_actions) {
    if (action != nullptr) action();
  }
  fork_mutex.unlock();
}

// Before any lock of this program can be taken.
[[maybe_unused]] const int registered = pthread_atfork(
    [] { fork_mutex.lock(); }, [] { fork_mutex.unlock(); }, InChild);

}  // namespace

std::mutex& ForkMutex() { return fork_mutex; }

std::uint64_t ForkGeneration() { return generation; }

void AtForkInChild(void (*action)()) {
  const std::lock_guard lock(fork_mutex);
  if (std::ranges::find(child_actions, action) != child_actions.end()) return;
  const auto free = std::ranges::find(child_actions, nullptr);
  SHARDINE_CHECK(free != child_actions.end());
  *free = action;
}

}  // namespace shardine
