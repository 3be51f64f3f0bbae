// Reads served from a cache folder, and reads sent to a server because the
// folder lacked them: counted for RemoteStats.
#ifndef SHARDINE_REMOTE_CACHE_COUNTS_H_
#define SHARDINE_REMOTE_CACHE_COUNTS_H_

#include <cstdint>

#include "shardine/remote_stats.h"

namespace shardine {

void CountCacheHit(std::uint64_t bytes);
void CountCacheMiss();
// Since the process began or was forked.
void AddCacheCounts(RemoteStats& stats);
// In the child of a fork.
void ResetCacheCounts();

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CACHE_COUNTS_H_
