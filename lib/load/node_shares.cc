#include "load/node_shares.h"

#include <algorithm>

#include "base/check.h"

namespace shardine {

NodeShares::NodeShares(std::uint64_t samples, const NodeSharing& sharing)
    : nodes_(sharing.nodes),
      taken_(std::max<std::uint64_t>(sharing.taken, 1)),
      each_(samples / nodes_),
      longer_(samples % nodes_),
      full_(each_ / taken_ * taken_) {
  SHARDINE_CHECK(nodes_ == 1 || sharing.taken > 0);
}

std::uint64_t NodeShares::FirstOf(std::uint64_t node) const {
  return node * each_ + std::min(node, longer_);
}

NodeShares::Place NodeShares::operator()(std::uint64_t position) const {
  if (nodes_ == 1) return {0, position};
  const std::uint64_t in_steps = full_ * nodes_;
  if (position < in_steps) {
    const std::uint64_t step = nodes_ * taken_;
    const std::uint64_t within = position % step;
    return {within / taken_, position / step * taken_ + within % taken_};
  }
  // The rest of each node after full steps, and one more of the first ones.
  const std::uint64_t left = position - in_steps;
  const std::uint64_t rest = each_ - full_;
  const std::uint64_t of_longer = longer_ * (rest + 1);
  if (left < of_longer) {
    return {left / (rest + 1), full_ + left % (rest + 1)};
  }
  const std::uint64_t behind = left - of_longer;
  return {longer_ + behind / rest, full_ + behind % rest};
}

}  // namespace shardine
