#include "load/node_order.h"

#include <algorithm>

#include "base/philox.h"

namespace shardine {
namespace {

std::uint64_t SeedOfNode(std::uint64_t seed, std::uint64_t node) {
  constexpr std::uint32_t kPurpose = 0x65646f6e;  // "node"
  const auto words =
      Philox4x32({static_cast<std::uint32_t>(node), 0, 0, kPurpose},
                 {static_cast<std::uint32_t>(seed),
                  static_cast<std::uint32_t>(seed >> 32)});
  return words[0] | std::uint64_t{words[1]} << 32;
}

}  // namespace

NodeOrder::NodeOrder(std::uint64_t samples, const OrderOptions& options,
                     const NodeSharing& sharing, std::uint64_t seed,
                     std::uint64_t epoch)
    : samples_(samples),
      options_(options),
      sharing_(sharing),
      shares_(samples, sharing),
      seed_(seed),
      epoch_(epoch) {}

const EpochOrder& NodeOrder::OrderOf(std::uint64_t node) {
  if (!order_ || node != node_) {
    order_.emplace(shares_.SamplesOf(node), options_,
                   sharing_.nodes == 1 ? seed_ : SeedOfNode(seed_, node),
                   epoch_);
    node_ = node;
  }
  return *order_;
}

std::uint64_t NodeOrder::operator()(std::uint64_t position) {
  const NodeShares::Place place = shares_(position);
  return shares_.FirstOf(place.node) + OrderOf(place.node)(place.number);
}

std::uint64_t NodeOrder::EndOfStretch(std::uint64_t position) {
  const NodeShares::Place place = shares_(position);
  const std::uint64_t count =
      OrderOf(place.node).StretchAt(place.number).end - place.number;
  return position + std::min(count * sharing_.nodes, samples_ - position);
}

}  // namespace shardine
