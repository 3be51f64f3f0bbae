// GroupSampling: places of an epoch that belong to groups of samples, classes
// or parts, so many to each: ClassBalancedSampling, ClassWeightedSampling and
// MixedSampling.
#ifndef SHARDINE_LOAD_GROUP_SAMPLING_H_
#define SHARDINE_LOAD_GROUP_SAMPLING_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "load/epoch_sampling.h"
#include "load/sample_groups.h"

namespace shardine {

// The places of an epoch in some order: EpochOrder(size, order, seed, epoch).
// Place q of that is, of even counts, of group x mod groups and its turn
// x / groups, where x = epoch * size + q; else of the group in whose run of
// `counts` places q lies, its turn epoch * count + the place in the run. So a
// group has one stream of turns through all epochs.
//
// Without replacement turn t is sample Permutation(group size, s, "group", t /
// size)(t mod size) of its group, s the XXH3-64 of the group's number (8
// bytes), seeded with the seed; of kSequential sample t mod size. With it a
// sample is drawn by Philox4x32-10 with key XXH3-64 of "group draws" seeded
// with the seed, and counter (q, epoch), 8 bytes each.
//
// Repetitions: how many cycles through its group lie between the epoch's first
// turn and this one; with replacement q. Where groups have draws apart, the
// repetitions of group g are g * 2^40 more.
class GroupSampling final : public EpochSampling {
 public:
  struct Plan {
    std::string_view name;
    SampleGroups groups;
    std::vector<std::uint64_t> counts;  // their sum is `size`; empty: even ones
    std::uint64_t size = 0;
    bool replacement = false;
    bool draws_apart = false;
  };

  // REQUIRES: groups of a count above 0 have samples, of even counts all;
  // 0 < size < 2^62; order is kShuffle or kSequential, the first with
  // replacement.
  GroupSampling(Plan plan, const OrderOptions& order, std::uint64_t seed);

  std::uint64_t size() const override { return plan_.size; }
  std::string_view name() const override { return plan_.name; }
  void AddTo(Xxh3Stream& stream) const override;
  void At(std::span<const StreamPosition> places,
          std::span<SampledPlace> sampled) const override;

 private:
  // A place of an epoch, as a turn of a group, counted through all epochs.
  struct Turn;
  Turn TurnAt(std::uint64_t epoch, std::uint64_t place) const;
  SampledPlace InCycle(const Turn& turn) const;
  SampledPlace Drawn(const Turn& turn, std::uint64_t epoch,
                     std::uint64_t place) const;

  const Plan plan_;
  const OrderOptions order_;
  const std::uint64_t seed_;
  const std::uint64_t draw_key_;
  std::vector<std::uint64_t> ends_;  // of the groups' runs; of even counts none
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_GROUP_SAMPLING_H_
