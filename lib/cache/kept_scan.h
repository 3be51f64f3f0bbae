// Kept scans: the result of reading a whole local shard, in the cache folder
// for the next opening. One process scans, the others of the machine wait.
#ifndef SHARDINE_CACHE_KEPT_SCAN_H_
#define SHARDINE_CACHE_KEPT_SCAN_H_

#include <functional>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "cache/cache_folder.h"
#include "shardine/status.h"

namespace shardine {

struct ScanSteps {
  // Takes the bytes of a kept scan; false: they are not of this shard, or not
  // sound. The file is removed then.
  std::function<bool(ByteView)> use;
  // Scans, and returns the bytes to keep; empty: none are to be kept.
  std::function<Result<std::string>()> scan;
};

enum class ScanUse {
  kFound,    // `use` took a kept scan
  kKept,     // scanned, and kept
  kNotKept,  // scanned; the folder has no room or cannot be written to
};

// Calls `use` with the kept scan, or else `scan`. While another process scans,
// waits for its end. Fails as `scan` does; kCancelled if a stop was asked for
// while it waited. REQUIRES: `name` is a ScanCacheName().
Result<ScanUse> UseOrScan(CacheFolder& folder, const std::string& name,
                          const ScanSteps& steps, const std::stop_token& stop);

// False: the file is there, and damaged or writable by other users.
bool IsSoundScan(const CacheFolder& folder, const std::string& name);

}  // namespace shardine

#endif  // SHARDINE_CACHE_KEPT_SCAN_H_
