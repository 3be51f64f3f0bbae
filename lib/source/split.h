// Which sample belongs to which split, and which classes are too small.
#ifndef SHARDINE_SOURCE_SPLIT_H_
#define SHARDINE_SOURCE_SPLIT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/permutation.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/exact_copies.h"
#include "source/source_set.h"

namespace shardine {

// The version of all plans: for the shuffle of a pack, the splits and held-out
// samples.
inline constexpr ShuffleVersion kPlanShuffle = ShuffleVersion::kNetwork;

// Removes the classes that have samples in no split, or in one of them fewer
// than `least`, and numbers the others densely from 0 in the order of their
// labels. The classes removed go to set.ignored ("below-min-per-class", as
// "label N" where the source has no names). Samples without labels stay.
// kInvalidArgument (with the key): a sample whose labels are not one integer.
Status ApplyMinPerClass(std::uint64_t least, SourceSet& set);

// Moves `count` samples of each class from split "train" into a new split
// "val": of the class's samples in list order those at places P(0), ...,
// P(count - 1), P = Permutation(samples of the class, seed, "hold-out",
// label). kInvalidArgument: no "train" or already a "val", a class that would
// have none left, a sample without one integer label.
Status ApplyHoldOut(std::uint64_t count, std::uint64_t seed, SourceSet& set);

// Replaces the one split of `set` by the splits of `shares`: floor(n * share)
// samples each (shares taken to nine decimals), the rest to the first. Split by
// split they are the samples at places P(0), P(1), ... of P = Permutation(n,
// seed, "split"). kInvalidArgument: several splits, or one that would be empty.
Status ApplySplitShares(const std::vector<SourceOptions::SplitShare>& shares,
                        std::uint64_t seed, SourceSet& set);

// The options that make splits at random: one of the two, or none.
struct SplitCut {
  std::vector<SourceOptions::SplitShare> shares = {};
  std::uint64_t hold_out = 0;
  std::uint64_t seed = 0;
  SplitRule rule = {};  // of shares

  bool has_groups() const {
    return !rule.group_by.empty() || rule.unites_copies();
  }
  bool is_made() const { return !shares.empty() || hold_out > 0; }
};

// kInvalidArgument: it is made of both, or its rule has no shares or does not
// parse.
Status CheckCut(const SplitCut& cut);
// Cuts by its rule, if it has one (source/strata_cut.h, source/group_cut.h),
// which needs the `copies` if they are to be one group. Same errors as the
// functions for each.
Status ApplyCut(const SplitCut& cut, std::span<const Likeness> copies,
                SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SPLIT_H_
