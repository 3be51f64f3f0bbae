// The cache of remote data (DatasetOptions::cache): lists, verifies and clears
// it, and prefetches splits.
#ifndef SHARDINE_CACHE_H_
#define SHARDINE_CACHE_H_

#include <cstdint>
#include <string>

#include "shardine/dataset.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct CacheContents {
  std::string folder;
  std::uint64_t companions = 0;  // sidecars and entry points: files
  std::uint64_t companion_bytes = 0;
  std::uint64_t shards = 0;       // of which some samples are kept, or all
  std::uint64_t shard_bytes = 0;  // on the disk
  // Damaged ones that were removed; only VerifyCache() sets these.
  std::uint64_t damaged_companions = 0;
  std::uint64_t damaged_blocks = 0;  // of shards, of 16 KiB
};

// An empty `folder` means the user's own cache. kNotFound: there is none;
// kInvalidArgument: it is not shardine's. Changes by other processes meanwhile
// are no failure.
Result<CacheContents> ReadCacheContents(const std::string& folder);
// Compares all that is kept with its digests and checksums. Damaged data is
// removed, as it would be by a read. kCancelled; kIo: a file cannot be removed.
Result<CacheContents> VerifyCache(const std::string& folder,
                                  const std::stop_token& stop = {});
// Removes all that is kept, and nothing else; returns the removed contents.
// kIo: a file cannot be removed; those before it were.
Result<CacheContents> ClearCache(const std::string& folder);

struct PrefetchResult {
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;       // of the shards
  std::uint64_t kept_bytes = 0;  // so far; fewer where others take the room
};

// Reads the shards of a split, with the files beside them, into the cache of
// the options. kInvalidArgument: no size was given, the split has more bytes,
// or it is on this machine. `threads`: shards at a time; 0: four.
Result<PrefetchResult> PrefetchSplit(const std::string& path,
                                     const DatasetOptions& options,
                                     unsigned threads, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_CACHE_H_
