// Cuts each class of a source into splits.
#ifndef SHARDINE_SOURCE_STRATA_CUT_H_
#define SHARDINE_SOURCE_STRATA_CUT_H_

#include "shardine/status.h"
#include "source/source_set.h"
#include "source/split.h"

namespace shardine {

// Replaces the one split of `set` by the splits of cut.shares. From a class of
// n samples each split has floor or ceil of n * share, and at least one; which
// of the two is decided class by class, in the order of labels, so that splits
// as a whole keep their shares. Split by split they are the class's samples in
// list order at places P(0), P(1), ... of P = Permutation(n, seed, "stratify",
// label). kInvalidArgument: several splits, a sample without one integer label,
// an empty split, or a class that is too small, unless it is to stay in train.
Status ApplyStrata(const SplitCut& cut, SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_STRATA_CUT_H_
