// The split of each file of an index: as asked for, else as the file names it.
#ifndef SHARDINE_PACK_INDEX_SPLIT_H_
#define SHARDINE_PACK_INDEX_SPLIT_H_

#include <vector>

#include "io/readable_storage.h"
#include "pack/index_sidecar.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// Turns each source.split from the split that was asked for, "" for none, into
// the split of the file: the one asked for, else the one that the file names
// (of several source.split_of_several), else "train". In a file with several
// splits only samples of the split that was asked for are read: `format` says
// so from then on, and source.warnings has how many are not.
//
// kInvalidArgument, naming the splits: one of several was not asked for, or it
// is not among them, or files would be read as different ones.
Status ChooseSplits(ReadableStorage& storage, FormatAndLayout& format,
                    std::vector<IndexSource>& sources);

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEX_SPLIT_H_
