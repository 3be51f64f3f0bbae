// Cuts a source into splits between groups of samples.
#ifndef SHARDINE_SOURCE_GROUP_CUT_H_
#define SHARDINE_SOURCE_GROUP_CUT_H_

#include <cstddef>
#include <span>

#include "shardine/status.h"
#include "source/exact_copies.h"
#include "source/source_set.h"
#include "source/split.h"

namespace shardine {

inline constexpr std::size_t kMaxGroupedSplits = 100;

// Replaces the one split of `set` by the splits of cut.shares, each group of
// cut.rule.group_by in one of them; without it each sample is a group. Groups
// with samples that are alike, as neighbours in `copies`, are one. With
// cut.rule.stratify each class is to have the shares as well.
//
// All in whole numbers, so that every machine finds the same. Groups are
// numbered by name. In the order of Permutation(groups, seed, "groups", n), for
// even n from the largest on, each goes where the sum over all samples and, if
// asked for, each class of (count / size - share)^2 grows least; then, from the
// smallest on, to another split, or in exchange for one of nearly its size,
// while fewer classes are lacking in splits or that sum falls. The best of n =
// 0 to 31 is taken; of very many groups the first. Without classes no split has
// more than its share and the largest group.
//
// The distance of the results from the shares goes to set.notes.
// kInvalidArgument: several splits, keys without a group, an empty split; with
// stratify: a sample without one integer label, or a class that a split lacks,
// unless small classes are to stay in train: the groups of the classes that lie
// in fewer groups than there are splits.
Status ApplyGroups(const SplitCut& cut, std::span<const Likeness> copies,
                   SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_GROUP_CUT_H_
