#include "remote/kept_tries.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork_mutex.h"
#include "base/made_once.h"

namespace shardine {
namespace {

std::atomic<std::size_t> most_kept = 0;

// Guarded by ForkMutex().
std::deque<RemoteTry>& Kept() {
  static constinit MadeOnce<std::deque<RemoteTry>> kept;
  return kept.Get();
}

}  // namespace

bool KeepsRemoteTries() { return most_kept > 0; }

void KeepRemoteTry(RemoteTry made) {
  const std::lock_guard lock(ForkMutex());
  Kept().push_back(std::move(made));
  while (Kept().size() > most_kept) Kept().pop_front();
}

void KeepRemoteTries(std::size_t most) {
  const std::lock_guard lock(ForkMutex());
  most_kept = std::max<std::size_t>(most_kept, most);
}

std::vector<RemoteTry> KeptRemoteTries() {
  const std::lock_guard lock(ForkMutex());
  return {Kept().begin(), Kept().end()};
}

}  // namespace shardine
