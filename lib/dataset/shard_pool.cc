#include "dataset/shard_pool.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <mutex>
#include <utility>

#include "base/fork_mutex.h"
#include "base/stop_scope.h"

namespace shardine {
namespace {

constexpr std::chrono::milliseconds kLook{50};

}  // namespace

ShardPool::UnderWay::UnderWay()
    : process(getpid()), ended(opened.get_future().share()) {}

Status CheckShardSize(const RandomAccessFile& shard, std::uint64_t bytes) {
  if (shard.size() == bytes) return Status();
  return Status(Code::kCorrupt,
                "the shard has " + std::to_string(shard.size()) +
                    " bytes, its index was made for " + std::to_string(bytes))
      .At({.path = shard.path()});
}

std::shared_ptr<const PooledShard> ShardPool::Find(std::size_t shard) {
  const auto found = by_number_.find(shard);
  if (found == by_number_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return recent_.front().second;
}

void ShardPool::CloseAll() {
  Recent closed;  // after the lock is gone
  const std::lock_guard lock(ForkMutex());
  by_number_.clear();
  closed.swap(recent_);
}

// Ends the opening that others wait for, whatever happens.
class ShardPool::Opening {
 public:
  Opening(ShardPool& pool, std::size_t shard) : pool_(pool), shard_(shard) {}
  ~Opening() {
    const std::lock_guard lock(ForkMutex());
    const auto at = pool_.under_way_.find(shard_);
    at->second.opened.set_value(status_);
    pool_.under_way_.erase(at);
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  void Fail(const Status& status) { status_ = status; }

 private:
  ShardPool& pool_;
  const std::size_t shard_;
  Status status_;
};

// Whether this thread is to open the shard; else when another one has.
bool ShardPool::TakeTurn(std::size_t shard, std::shared_future<Status>& other) {
  const auto [at, is_new] = under_way_.try_emplace(shard);
  // The thread that was at it in a parent is not here.
  if (!is_new && at->second.process == getpid()) {
    other = at->second.ended;
    return false;
  }
  at->second = UnderWay();
  return true;
}

Result<std::shared_ptr<const PooledShard>> ShardPool::Get(std::size_t shard) {
  for (;;) {
    std::shared_future<Status> other;
    {
      const std::lock_guard lock(ForkMutex());
      if (auto open = Find(shard)) return open;
      if (TakeTurn(shard, other)) break;
    }
    while (other.wait_for(kLook) != std::future_status::ready) {
      if (CurrentStop().stop_requested()) {
        return Status(Code::kCancelled, "reading was stopped");
      }
    }
    // Its failure is ours, unless it was stopped.
    const Status& ended = other.get();
    if (!ended.ok() && ended.code() != Code::kCancelled) return ended;
  }
  Opening opening(*this, shard);
  auto opened = Open(shard);
  if (!opened.ok()) opening.Fail(opened.status());
  return opened;
}

bool ShardPool::IsOpen(std::size_t shard) {
  const std::lock_guard lock(ForkMutex());
  return by_number_.contains(shard);
}

// Unlocked: a slow disk keeps no thread from the open shards.
Result<std::shared_ptr<const PooledShard>> ShardPool::Open(std::size_t shard) {
  Result<PooledShard> opened = open_(shard);
  if (!opened.ok() && opened.status().system_error() == EMFILE) {
    CloseAll();
    opened = open_(shard);
  }
  if (!opened.ok()) return std::move(opened).status();
  auto fresh = std::make_shared<const PooledShard>(*std::move(opened));
  // Closed after the lock is gone.
  std::shared_ptr<const PooledShard> evicted;
  const std::lock_guard lock(ForkMutex());
  recent_.emplace_front(shard, fresh);
  by_number_[shard] = recent_.begin();
  if (recent_.size() > capacity_) {
    by_number_.erase(recent_.back().first);
    evicted = std::move(recent_.back().second);
    recent_.pop_back();
  }
  return fresh;
}

}  // namespace shardine
