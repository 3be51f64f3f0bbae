// NodeShares: how the samples of an epoch are shared among machines. Each has
// a part of neighbours in the dataset, the same in every epoch, and each step
// takes the next samples of each part. Pure arithmetic, pinned by tests.
#ifndef SHARDINE_LOAD_NODE_SHARES_H_
#define SHARDINE_LOAD_NODE_SHARES_H_

#include <cstdint>

namespace shardine {

struct NodeSharing {
  std::uint32_t nodes = 1;
  std::uint64_t taken = 0;  // by each, in a step; above 0 if nodes > 1

  friend bool operator==(const NodeSharing&, const NodeSharing&) = default;
};

// Immutable, so thread-safe.
class NodeShares {
 public:
  struct Place {
    std::uint64_t node = 0;
    std::uint64_t number = 0;  // among those of its part
  };

  // Each node has floor(samples / nodes) of them, the first ones one more. Once
  // one node has fewer than a step takes, the rest comes last, in the order of
  // the nodes.
  // REQUIRES: nodes > 0, samples < 2^62, nodes * taken < 2^62.
  NodeShares(std::uint64_t samples, const NodeSharing& sharing);

  // The place at that position of the epoch: each place once.
  // REQUIRES: position < samples.
  Place operator()(std::uint64_t position) const;

  // The part of a node in the dataset.
  std::uint64_t FirstOf(std::uint64_t node) const;
  std::uint64_t SamplesOf(std::uint64_t node) const {
    return each_ + (node < longer_ ? 1 : 0);
  }

 private:
  std::uint64_t nodes_;
  std::uint64_t taken_;
  std::uint64_t each_;    // samples of a node
  std::uint64_t longer_;  // so many nodes have one more
  std::uint64_t full_;    // samples of a node in full steps
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_NODE_SHARES_H_
