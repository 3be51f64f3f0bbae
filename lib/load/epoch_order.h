// EpochOrder: which sample comes when in an epoch. A pure function of (samples,
// options, seed, epoch): nothing is stored, any position can be asked for. Its
// outputs are pinned by tests and never change.
#ifndef SHARDINE_LOAD_EPOCH_ORDER_H_
#define SHARDINE_LOAD_EPOCH_ORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/permutation.h"
#include "shardine/loader.h"

namespace shardine {

// The version of every shuffle of a loader. States say it (loader.cc).
inline constexpr ShuffleVersion kEpochShuffle = ShuffleVersion::kBothParities;

// Immutable, so thread-safe.
class EpochOrder {
 public:
  // All permutations are of kEpochShuffle.
  // kShuffle: Permutation(samples, seed, "epoch", epoch).
  // kBlocks: the dataset is cut into blocks of options.block neighbours, the
  //   last one may be short. Full blocks come in the order of
  //   Permutation(full blocks, seed, "blocks", epoch), the short one among them
  //   at Permutation(blocks, seed, "short block", epoch)(0): always at the end,
  //   its samples would be those that a dropped step takes. Then each run of
  //   options.window blocks is mixed: run r by Permutation(its samples, seed,
  //   "window" + epoch as 8 bytes, r).
  // kSequential: as stored.
  // REQUIRES: samples < 2^62; of kBlocks, block > 0 and window > 0; not kRatio,
  // whose order depends on the images (rect_order.h).
  EpochOrder(std::uint64_t samples, const OrderOptions& options,
             std::uint64_t seed, std::uint64_t epoch);

  std::uint64_t size() const { return samples_; }
  // The sample's position in the dataset. REQUIRES: position < size().
  std::uint64_t operator()(std::uint64_t position) const;

  // Neighbours in the dataset.
  struct Block {
    std::uint64_t first = 0;
    std::uint64_t samples = 0;

    friend bool operator==(const Block&, const Block&) = default;
  };
  // Neighbours in the epoch that are, in some order, the samples of blocks.
  struct Stretch {
    std::uint64_t end = 0;  // the position behind it
    std::vector<Block> blocks;
  };
  // The stretch that the position is in: for kBlocks the run that is mixed
  // together; for kSequential as many samples as a block has; for kShuffle
  // none.
  // REQUIRES: position < size().
  Stretch StretchAt(std::uint64_t position) const;

 private:
  struct Run {  // of neighbouring positions
    std::uint64_t number;
    std::uint64_t first;
    std::uint64_t samples;
  };
  Run RunOf(std::uint64_t position) const;
  Block BlockAt(std::uint64_t slot) const;
  std::uint64_t Unmixed(std::uint64_t position) const;

  std::uint64_t samples_;
  SampleOrder order_;
  std::uint64_t seed_;
  // For kBlocks. Sizes in samples.
  std::uint64_t block_;
  std::uint64_t blocks_;        // the short one counted in
  std::uint64_t missing_;       // from the short block to a full one; 0: none
  std::uint64_t window_;        // a run that does not have the short block
  std::uint64_t short_slot_;    // when the short block comes
  std::string window_purpose_;  // "window" + epoch
  Permutation permutation_;     // of all samples, or of the full blocks
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_EPOCH_ORDER_H_
