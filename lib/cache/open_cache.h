// The cache that a user means.
#ifndef SHARDINE_CACHE_OPEN_CACHE_H_
#define SHARDINE_CACHE_OPEN_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "cache/cache_folder.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr char kNoCache[] = "off";

// $XDG_CACHE_HOME/shardine/datasets, else ~/.cache/shardine/datasets; empty:
// there is neither.
std::string UserCacheFolder();

// `cache`: a folder; empty: the user's own; "off": none. `payload_bytes`: the
// limit of the kept parts of shards, with their companions; 0: companions alone
// are kept. Null: there is none, by "off", or because it cannot be made, which
// a warning on standard error tells. kInvalidArgument: one that was asked for
// cannot be made.
Result<std::shared_ptr<CacheFolder>> OpenCache(const std::string& cache,
                                               std::uint64_t payload_bytes);

}  // namespace shardine

#endif  // SHARDINE_CACHE_OPEN_CACHE_H_
