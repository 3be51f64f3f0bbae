// The folder in which what servers gave is kept for the next time
// (DatasetOptions::cache): what it holds, whether that is right, and what a
// split needs, ahead of time.
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
  // Of those that were damaged: removed, by VerifyCache() alone.
  std::uint64_t damaged_companions = 0;
  std::uint64_t damaged_blocks = 0;  // of shards, of 16 KiB
};

// Of these, `folder` is empty for the user's own. kNotFound: there is none;
// kInvalidArgument: it is not shardine's. What others do meanwhile is no
// failure.
Result<CacheContents> ReadCacheContents(const std::string& folder);
// Compares all that is kept with its digests and checksums. What is damaged is
// removed, as it would be where it is read. kCancelled; kIo: a file cannot be
// removed.
Result<CacheContents> VerifyCache(const std::string& folder,
                                  const std::stop_token& stop = {});
// Removes all that is kept, and nothing else; says what that was. kIo: a file
// cannot be removed; those before it were.
Result<CacheContents> ClearCache(const std::string& folder);

struct PrefetchResult {
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;       // of the shards
  std::uint64_t kept_bytes = 0;  // so far; fewer where others take the room
};

// Reads the shards of a split, with what is beside them, into the cache that
// the options say. kInvalidArgument: no size was given, the split has more
// bytes, or it is on this machine. `threads`: shards at a time; 0: four.
Result<PrefetchResult> PrefetchSplit(const std::string& path,
                                     const DatasetOptions& options,
                                     unsigned threads, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_CACHE_H_
