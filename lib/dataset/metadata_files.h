// The files that other programs look for beside a dataset's shards
// (shard/dataset_metadata.h): written before the manifest, which lists them
// with their digests, and made again when the dataset is verified.
#ifndef SHARDINE_DATASET_METADATA_FILES_H_
#define SHARDINE_DATASET_METADATA_FILES_H_

#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "io/storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// Writes those that the layout was chosen with and lists them in `manifest`,
// whose shards lie in `directory`; returns the paths of those that were not
// there. A file that is there and holds the same stays. kAlreadyExists: one
// holds something else, and is left as it is. After a failure none that was not
// there is left.
Result<std::vector<std::string>> WriteMetadata(Storage& storage,
                                               const std::string& directory,
                                               const FormatAndLayout& format,
                                               Manifest& manifest);

// kCorrupt, with path and byte, for the first file that differs from the
// manifest and the shards' indexes, or that the manifest does not list.
Status CheckMetadata(ReadableStorage& storage, const std::string& directory,
                     const FormatAndLayout& format, const Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_DATASET_METADATA_FILES_H_
