// ShardTurns: the shards that a process is to make, in the order in which its
// loader wants them.
#ifndef SHARDINE_TASKS_SHARD_TURNS_H_
#define SHARDINE_TASKS_SHARD_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "source/shard_plan.h"

namespace shardine {

// The numbers of the shards that are a rank's among `world`: of each split a
// run of neighbours, as machines that share an epoch have it
// (load/node_shares.h). Those of `first_split` come first.
// REQUIRES: rank < world.
std::vector<std::size_t> ShardsOfRank(const std::vector<PlannedShard>& shards,
                                      std::uint32_t first_split,
                                      std::uint32_t rank, std::uint32_t world);

// Thread-safe.
class ShardTurns {
 public:
  explicit ShardTurns(std::vector<std::size_t> shards);

  // The shard comes before those that nothing wanted yet. Shards of others and
  // those taken stay as they are.
  void Want(std::size_t shard);
  // The next, each once; nullopt: all were taken.
  std::optional<std::size_t> Take();

 private:
  enum class State : std::uint8_t { kWaiting, kWanted, kTaken };

  std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::size_t, State> states_;
  std::deque<std::size_t> wanted_;
  std::deque<std::size_t> waiting_;  // wanted and taken ones among them
};

}  // namespace shardine

#endif  // SHARDINE_TASKS_SHARD_TURNS_H_
