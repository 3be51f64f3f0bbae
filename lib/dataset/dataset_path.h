// Resolves a path that is given where a dataset is wanted.
#ifndef SHARDINE_DATASET_DATASET_PATH_H_
#define SHARDINE_DATASET_DATASET_PATH_H_

#include <string>

#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

struct DatasetPath {
  // The folder of a dataset, or else a shard that is in none.
  std::string path;
  bool is_bare_shard = false;
};

// `path`: a folder; the manifest in it; or a shard, or the directory that
// stands for one. A folder is not searched for a dataset: opening it reports a
// missing file. An absent path is returned unchanged. kNotFound: a file of the
// dataset beside it, as DatasetFolder() (dataset_folder.h).
Result<DatasetPath> FindDatasetPath(ReadableStorage& storage,
                                    const std::string& path,
                                    const FormatRegistry& formats);

// kInvalidArgument: `file` is a dataset's manifest, or a file that the manifest
// of a folder above it lists. Such a file is replaced by nothing else.
Status CheckIsNotOfDataset(ReadableStorage& storage, const std::string& file);

}  // namespace shardine

#endif  // SHARDINE_DATASET_DATASET_PATH_H_
