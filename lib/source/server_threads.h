// How many threads read a server at a time: by its latency, not by processors.
#ifndef SHARDINE_SOURCE_SERVER_THREADS_H_
#define SHARDINE_SOURCE_SERVER_THREADS_H_

#include <algorithm>
#include <string>

#include "io/path_scheme.h"
#include "pipeline/processor_share.h"

namespace shardine {

// Threads that each ask for a block of some MiB at once, and wait for it.
inline constexpr unsigned kServerBlocks = 24;
// Threads that each read a shard from its start to its end: OpenForward() holds
// 32 MiB of it.
inline constexpr unsigned kServerShards = 8;

// What an option for threads means where the work reads `path`: `least` of them
// at least if it is on a server.
inline unsigned ServerThreads(const std::string& path, unsigned wanted,
                              unsigned least) {
  const unsigned threads = ThreadCount(wanted);
  return SchemeOf(path).empty() ? threads : std::max(threads, least);
}

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SERVER_THREADS_H_
