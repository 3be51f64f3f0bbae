// Which folder a path means where a dataset is asked for.
#ifndef SHARDINE_DATASET_DATASET_FOLDER_H_
#define SHARDINE_DATASET_DATASET_FOLDER_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// `path` itself, or the folder of the manifest that it names: people complete
// names with the tab key. kNotFound for any other file says which dataset it
// is a part of, or that one can be made of it; a path that does not exist is
// returned as it is, for the opening to fail.
Result<std::string> DatasetFolder(ReadableStorage& storage,
                                  const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_DATASET_DATASET_FOLDER_H_
