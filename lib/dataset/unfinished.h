// The message about a folder without a manifest in which a pack began.
#ifndef SHARDINE_DATASET_UNFINISHED_H_
#define SHARDINE_DATASET_UNFINISHED_H_

#include <string>

#include "io/readable_storage.h"

namespace shardine {

// OUT/sz/160: where the sizes of a dataset lie.
inline constexpr char kSizesFolder[] = "sz";

// OUT/.parts: parts of a dataset that are to be joined (dataset/FORMAT.md).
inline constexpr char kPartsFolder[] = ".parts";

// "a pack into this folder is at work or was interrupted: 3 of 8 shards are
// finished; ..." and the command that goes on from there; empty if nothing
// tells of a pack. The journal says how many shards there are to be; without
// one the names of the finished shards say it. `directory` may be the folder of
// a variant. REQUIRES: it holds no manifest.
std::string DescribeUnfinished(ReadableStorage& storage,
                               const std::string& directory);

// OUT/.pack/new: shards of a DatasetWriter, until all of them get their names.
std::string StagingFolder(const std::string& output);

}  // namespace shardine

#endif  // SHARDINE_DATASET_UNFINISHED_H_
