// The source list of Caffe's HDF5Data layer: text, the name of one .h5 file per
// line. Ours names the one shard beside it, in a folder if one was asked for:
// Caffe looks from its working directory on, not from the list's place.
#ifndef SHARDINE_FORMATS_HDF5_CAFFE_SOURCE_LIST_H_
#define SHARDINE_FORMATS_HDF5_CAFFE_SOURCE_LIST_H_

#include "shard/format.h"

namespace shardine {

inline constexpr std::string_view kFolderParameter = "folder";
inline constexpr std::string_view kNoFolder = ".";

// Writes `paths.companion`, which names the shard by its final name, also where
// `paths` has temporary ones, and in the layout's folder.
Status WriteSourceList(Storage& storage, const ShardPaths& paths,
                       const LayoutChoice& layout);

// Rewrites the list at `paths.companion`, a temporary name, with this name of
// the shard and the folder that the list names now.
Status RenameSourceList(Storage& storage, const ShardPaths& paths);

// kCorrupt, with path, if the list at `paths.companion` does not name just that
// shard, in whatever folder.
Status CheckSourceList(ReadableStorage& storage, const ShardPaths& paths);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_CAFFE_SOURCE_LIST_H_
