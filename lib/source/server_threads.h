// How many threads read a server at a time: by its latency, not by processors.
#ifndef SHARDINE_SOURCE_SERVER_THREADS_H_
#define SHARDINE_SOURCE_SERVER_THREADS_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "io/path_scheme.h"
#include "pipeline/processor_share.h"

namespace shardine {

// Threads that each ask for a block of some MiB at once, and wait for it.
inline constexpr unsigned kServerBlocks = 24;
// Threads that each read a shard from its start to its end, of which
// OpenForward() holds 32 MiB: fewer where shards are large.
inline unsigned ServerShards(std::uint64_t largest) {
  constexpr std::uint64_t kHeld = std::uint64_t{32} << 20;
  constexpr std::uint64_t kAll = 8 * kHeld;
  const std::uint64_t held = std::clamp<std::uint64_t>(largest, 1, kHeld);
  return static_cast<unsigned>(
      std::min<std::uint64_t>(kAll / held, kServerBlocks));
}

// The number of threads for an option where the work reads `path`: `least` of
// them at least if it is on a server.
inline unsigned ServerThreads(const std::string& path, unsigned wanted,
                              unsigned least) {
  const unsigned threads = ThreadCount(wanted);
  return SchemeOf(path).empty() ? threads : std::max(threads, least);
}

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SERVER_THREADS_H_
