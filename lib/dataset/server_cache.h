// The cache folder of a dataset on a server, for those who read its samples
// and do not look for damage of its files.
#ifndef SHARDINE_DATASET_SERVER_CACHE_H_
#define SHARDINE_DATASET_SERVER_CACHE_H_

#include <memory>
#include <string>

#include "cache/cache_folder.h"
#include "dataset/dataset_reader.h"
#include "shardine/dataset.h"
#include "shardine/status.h"

namespace shardine {

// As `options` say, else RemoteOptionsOf(path), else the user's own. Null: of a
// path on this machine, and where OpenCache() has none.
Result<std::shared_ptr<CacheFolder>> OpenServerCache(
    const std::string& path, const DatasetOptions& options = {});

// Of a dataset on a server: its companions come as a whole from now on, and
// what is read of its shards is kept where a size was given. REQUIRES: nobody
// else uses the reader yet.
Status UseServerCache(DatasetReader& reader,
                      const DatasetOptions& options = {});

}  // namespace shardine

#endif  // SHARDINE_DATASET_SERVER_CACHE_H_
