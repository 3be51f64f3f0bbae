#include "pipeline/parallel_for.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <set>

namespace shardine {
namespace {

TEST_CASE("ParallelFor does each piece once with any number of threads",
          "[pipeline]") {
  for (const unsigned threads : {1u, 2u, 7u}) {
    for (const std::size_t count : {0u, 1u, 5u, 1000u}) {
      std::vector<std::atomic<int>> done(count);
      ParallelFor(count, threads, [&](std::size_t i) { ++done[i]; });
      for (const auto& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("ParallelFor uses no more threads than it was given", "[pipeline]") {
  std::mutex mutex;
  std::set<std::thread::id> seen;  // guarded by mutex
  ParallelFor(200, 3, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  CHECK(seen.size() <= 3);
  CHECK_FALSE(seen.contains(std::this_thread::get_id()));
}

TEST_CASE("ThreadCount of nothing is one per processor", "[pipeline]") {
  CHECK(ThreadCount(5) == 5);
  CHECK(ThreadCount(0) >= 1);
}

}  // namespace
}  // namespace shardine
