// The cache folder of a dataset on a server, for those who read its samples
// and do not look for damage of its files.
#ifndef SHARDINE_DATASET_SERVER_CACHE_H_
#define SHARDINE_DATASET_SERVER_CACHE_H_

#include "dataset/dataset_reader.h"
#include "shardine/dataset.h"
#include "shardine/status.h"

namespace shardine {

// Of a dataset on a server: its companions come as a whole from now on, and
// what is read of its shards is kept where a size was given: in the folder that
// `options` say, else RemoteOptionsOf() its address, else the user's own.
// kInvalidArgument: as OpenCache(). REQUIRES: nobody else uses the reader yet.
Status UseServerCache(DatasetReader& reader,
                      const DatasetOptions& options = {});

}  // namespace shardine

#endif  // SHARDINE_DATASET_SERVER_CACHE_H_
