// NodeOrder: which sample comes when in an epoch that machines may share: of
// one node EpochOrder; of several each part has an EpochOrder of its own, by a
// seed of its own. Its outputs are pinned by tests and never change.
#ifndef SHARDINE_LOAD_NODE_ORDER_H_
#define SHARDINE_LOAD_NODE_ORDER_H_

#include <cstdint>
#include <optional>

#include "load/epoch_order.h"
#include "load/node_shares.h"
#include "shardine/loader.h"

namespace shardine {

// Thread-compatible: the order of the node that was asked for last is kept.
class NodeOrder {
 public:
  // The seed of node k of several is the first 8 bytes of Philox4x32-10 with
  // key `seed` and counter (k, 0, 0, 0x65646f6e).
  // REQUIRES: as EpochOrder and NodeShares, and k < 2^32.
  NodeOrder(std::uint64_t samples, const OrderOptions& options,
            const NodeSharing& sharing, std::uint64_t seed,
            std::uint64_t epoch);

  // The sample's position in the dataset. REQUIRES: position < samples.
  std::uint64_t operator()(std::uint64_t position);

  // The position behind those that are read together with this one: the rest of
  // its stretch (EpochOrder::StretchAt), and as much of the other nodes' parts.
  // REQUIRES: position < samples; not kShuffle.
  std::uint64_t EndOfStretch(std::uint64_t position);

 private:
  const EpochOrder& OrderOf(std::uint64_t node);

  const std::uint64_t samples_;
  const OrderOptions options_;
  const NodeSharing sharing_;
  const NodeShares shares_;
  const std::uint64_t seed_;
  const std::uint64_t epoch_;
  std::optional<EpochOrder> order_;
  std::uint64_t node_ = 0;  // of order_
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_NODE_ORDER_H_
