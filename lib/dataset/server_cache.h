// The cache folder of a dataset on a server, for commands that read its samples
// and do not look for damage of its files.
#ifndef SHARDINE_DATASET_SERVER_CACHE_H_
#define SHARDINE_DATASET_SERVER_CACHE_H_

#include "dataset/dataset_reader.h"
#include "shardine/dataset.h"
#include "shardine/status.h"

namespace shardine {

// From now on the companions of a dataset on a server come as a whole, and
// blocks read of its shards are kept where a size was given: in the folder that
// `options` say, else RemoteOptionsOf() its address, else the user's own.
// kInvalidArgument: as OpenCache(). REQUIRES: nobody else uses the reader yet.
Status UseServerCache(DatasetReader& reader,
                      const DatasetOptions& options = {});

}  // namespace shardine

#endif  // SHARDINE_DATASET_SERVER_CACHE_H_
