// SimulatedNode: the requests of one machine to a server, and the contents of
// its cache.
#ifndef SHARDINE_LOAD_SIMULATED_NODE_H_
#define SHARDINE_LOAD_SIMULATED_NODE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "load/simulated_shards.h"

namespace shardine {

// Thread-compatible. `shards` must outlive it.
class SimulatedNode {
 public:
  // A cache of 0 bytes keeps nothing.
  SimulatedNode(const SimulatedShards& shards, std::uint64_t cache_bytes);

  struct Traffic {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hits = 0;  // samples that were in the cache

    Traffic& operator+=(const Traffic& other);
  };

  // The sample alone.
  Traffic Read(std::uint64_t position);
  // Neighbours as far as may be: ranges, of which `room` bytes are held;
  // samples beyond that are read one by one. Positions ascend.
  Traffic ReadTogether(std::span<const std::uint64_t> positions,
                       std::uint64_t& room);

 private:
  bool Has(std::uint64_t position) const;
  void Keep(std::uint64_t position);
  void Touch(std::size_t shard);
  void Drop(std::size_t shard);
  Traffic ReadOfShard(std::span<const std::uint64_t> positions,
                      std::uint64_t& room);

  const SimulatedShards& shards_;
  const std::uint64_t limit_;
  std::uint64_t used_ = 0;
  std::vector<bool> kept_;  // by position; empty without a cache
  std::uint64_t uses_ = 0;
  std::vector<std::uint64_t> last_use_;          // by shard; 0: nothing is kept
  std::map<std::uint64_t, std::size_t> by_use_;  // kept ones, by last use
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_SIMULATED_NODE_H_
