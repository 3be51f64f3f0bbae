// EpochOrder: which sample comes when in an epoch. A pure function of (samples,
// options, seed, epoch): nothing is stored, any position can be asked for.
#ifndef SHARDINE_LOAD_EPOCH_ORDER_H_
#define SHARDINE_LOAD_EPOCH_ORDER_H_

#include <cstdint>

#include "base/permutation.h"
#include "shardine/loader.h"

namespace shardine {

// Immutable, so thread-safe.
class EpochOrder {
 public:
  // kShuffle: Permutation(samples, seed, "epoch", epoch).
  // kBlocks: blocks of options.block neighbouring samples in the order of
  //   Permutation(full blocks, seed, "blocks", epoch), the short block last;
  //   then each run of options.window blocks is permuted inside.
  // kSequential: as stored.
  EpochOrder(std::uint64_t samples, const OrderOptions& options,
             std::uint64_t seed, std::uint64_t epoch);

  std::uint64_t size() const { return samples_; }
  // The sample's position in the dataset. REQUIRES: position < size().
  std::uint64_t operator()(std::uint64_t position) const;

 private:
  std::uint64_t samples_;
  OrderOptions options_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
  Permutation permutation_;  // of all, or of the full blocks
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_EPOCH_ORDER_H_
