// Whether a dataset that was cut between groups has each of them in one split.
#ifndef SHARDINE_VERIFY_GROUP_CHECK_H_
#define SHARDINE_VERIFY_GROUP_CHECK_H_

#include <vector>

#include "dataset/dataset_reader.h"
#include "shardine/status.h"

namespace shardine {

// The groups of all samples, by the rule that the manifest has of the command:
// in their keys, or in the field that was a column of the list. kCorrupt each:
// a group in two splits, with a key of each; a key without a group. Returns the
// first ten of them, and how many more; none for a dataset that was not cut so.
// Failures are those of the indexes, and of shards that fields are read from.
Result<std::vector<Status>> CheckGroups(const DatasetReader& dataset);

}  // namespace shardine

#endif  // SHARDINE_VERIFY_GROUP_CHECK_H_
