// Checks that a file belongs to the dataset before it is replaced or removed,
// whatever the manifest lists and wherever links lead.
#ifndef SHARDINE_DATASET_OWN_PATH_H_
#define SHARDINE_DATASET_OWN_PATH_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// kCorrupt: `path`, relative to the dataset's folder, does not lie below it.
// kUnsupported: a folder on the way is a symbolic link. The dataset's own
// folder may be a link, and so may the file: renaming and removing act on the
// link and do not follow it. An absent file is no error.
Status CheckOwnFile(ReadableStorage& storage, const std::string& directory,
                    const std::string& path);

// The same of a folder, which may be no link itself.
Status CheckOwnFolder(ReadableStorage& storage, const std::string& directory,
                      const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_DATASET_OWN_PATH_H_
