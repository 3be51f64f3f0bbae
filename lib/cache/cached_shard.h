// A shard on a server of which the bytes that are read are kept in a cache
// folder, block by block (cache/block_file.h).
#ifndef SHARDINE_CACHE_CACHED_SHARD_H_
#define SHARDINE_CACHE_CACHED_SHARD_H_

#include <memory>

#include "cache/cache_folder.h"
#include "cache/known_file.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Opens it at the server, unless most of it is kept: then the server is asked
// when something is missing. kCorrupt: it has another size there
// than the manifest says. `folder` may be null, or keep no payloads: then it is
// opened as it is. The storage must outlive the file.
Result<std::unique_ptr<RandomAccessFile>> OpenCachedShard(
    std::shared_ptr<CacheFolder> folder, ReadableStorage& storage,
    const KnownFile& file);

}  // namespace shardine

#endif  // SHARDINE_CACHE_CACHED_SHARD_H_
