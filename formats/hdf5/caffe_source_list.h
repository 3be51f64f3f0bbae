// The source list of Caffe's HDF5Data layer: text, the name of one .h5 file per
// line. Ours names the one shard beside it.
#ifndef SHARDINE_FORMATS_HDF5_CAFFE_SOURCE_LIST_H_
#define SHARDINE_FORMATS_HDF5_CAFFE_SOURCE_LIST_H_

#include "shard/format.h"

namespace shardine {

// Writes `paths.companion`, which names the shard by its final name without
// folder, also where `paths` has temporary ones.
Status WriteSourceList(Storage& storage, const ShardPaths& paths);

// kCorrupt, with path, if the list at `paths.companion` does not name just that
// shard.
Status CheckSourceList(ReadableStorage& storage, const ShardPaths& paths);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_CAFFE_SOURCE_LIST_H_
