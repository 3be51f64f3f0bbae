#include "dataset/shard_pool.h"

#include <cerrno>
#include <utility>

namespace shardine {

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
  const std::lock_guard lock(mutex_);
  by_number_.clear();
  closed.swap(recent_);
}

Result<std::shared_ptr<const PooledShard>> ShardPool::Get(std::size_t shard) {
  {
    const std::lock_guard lock(mutex_);
    if (auto open = Find(shard)) return open;
  }
  // Unlocked: a slow disk keeps nobody from the shards that are open.
  Result<PooledShard> opened = open_(shard);
  if (!opened.ok() && opened.status().system_error() == EMFILE) {
    CloseAll();
    opened = open_(shard);
  }
  if (!opened.ok()) return std::move(opened).status();
  auto fresh = std::make_shared<const PooledShard>(*std::move(opened));
  // Closed after the lock is gone, both of them.
  std::shared_ptr<const PooledShard> evicted;
  const std::lock_guard lock(mutex_);
  if (auto other = Find(shard)) {
    evicted = std::exchange(fresh, std::move(other));
    return fresh;
  }
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
