// How many shards a task has.
#ifndef SHARDINE_TASKS_TASK_SIZE_H_
#define SHARDINE_TASKS_TASK_SIZE_H_

#include <algorithm>
#include <cstdint>

namespace shardine {

// As many as have `task_bytes`, if all have as many, and one at least; 0: 1 GiB
// or four shards, whichever is more.
inline std::uint64_t ShardsPerTask(std::uint64_t shards, std::uint64_t bytes,
                                   std::uint64_t task_bytes) {
  constexpr std::uint64_t kTaskBytes = std::uint64_t{1} << 30;
  constexpr std::uint64_t kTaskShards = 4;
  const std::uint64_t mean =
      std::max<std::uint64_t>(bytes / std::max<std::uint64_t>(shards, 1), 1);
  const std::uint64_t wanted = task_bytes == 0 ? kTaskBytes : task_bytes;
  const std::uint64_t least = task_bytes == 0 ? kTaskShards : 1;
  return std::clamp(wanted / mean, least, std::max(least, shards));
}

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_SIZE_H_
