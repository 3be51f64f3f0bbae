// Resolves a path that names a dataset to the dataset's folder.
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

// Whether it is on a server and has no name of a file: then the manifest is
// asked for first.
bool MayBeRemoteDataset(const std::string& path);

// Whether a path on a server is a dataset's folder, with one request where it
// is and its name is not like a file's; false: that has to be found out.
// kRemote, kCancelled: the server was not to be asked.
Result<bool> IsRemoteDataset(ReadableStorage& storage, const std::string& path);

// kNotFound, in the words for a file, if the folder is one shard of a dataset
// (LMDB's may be folders); asked of folders without a manifest.
Status CheckIsNoShard(ReadableStorage& storage, const std::string& folder);

}  // namespace shardine

#endif  // SHARDINE_DATASET_DATASET_FOLDER_H_
