// ParallelFor: independent pieces of work, each done once, by a few threads.
#ifndef SHARDINE_PIPELINE_PARALLEL_FOR_H_
#define SHARDINE_PIPELINE_PARALLEL_FOR_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace shardine {

// What an option for a number of threads means: 0 is one per processor.
inline unsigned ThreadCount(unsigned wanted) {
  return wanted > 0 ? wanted
                    : std::max(std::thread::hardware_concurrency(), 1u);
}

// Calls work(i) once for each i in [0, count), from at most `threads` threads,
// and returns when all calls have. They begin in order, and end in any.
// REQUIRES: threads > 0.
inline void ParallelFor(std::size_t count, unsigned threads,
                        const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> pool;
  for (std::size_t t = 0; t < std::min<std::size_t>(threads, count); ++t) {
    pool.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  }
}

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_PARALLEL_FOR_H_
