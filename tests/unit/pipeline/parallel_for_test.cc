#include "pipeline/parallel_for.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/worker_group.h"

namespace shardine::parallel_for_test {
namespace {

TEST_CASE("ParallelFor does each piece once with any number of threads",
          "[pipeline]") {
  for (const unsigned threads : {1u, 2u, 7u}) {
    for (const std::size_t count : {0u, 1u, 5u, 1000u}) {
      std::vector<std::atomic<int>> done(count);
      const Status status = ParallelFor(count, threads, [&](std::size_t i) {
        ++done[i];
        return Status();
      });
      CHECK(status.ok());
      for (const auto& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("ParallelFor uses no more threads than it was given", "[pipeline]") {
  std::mutex mutex;
  std::set<std::thread::id> seen;  // guarded by mutex
  const Status status = ParallelFor(200, 3, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
    return Status();
  });
  CHECK(status.ok());
  CHECK(seen.size() <= 3);
}

TEST_CASE("ParallelFor does it all where the system has no more threads",
          "[pipeline]") {
  for (const unsigned there : {0u, 1u}) {
    const ThreadShortage shortage(there);
    std::vector<std::atomic<int>> done(100);
    const Status status = ParallelFor(100, 7, [&](std::size_t i) {
      ++done[i];
      return Status();
    });
    CHECK(status.ok());
    for (const auto& times : done) CHECK(times == 1);
  }
}

TEST_CASE("ParallelFor returns the first failure for any number of threads",
          "[pipeline]") {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> done(500);
    const Status status = ParallelFor(500, threads, [&](std::size_t i) {
      ++done[i];
      if (i == 61) throw std::bad_alloc();
      if (i == 60 || i > 70) return Status(Code::kFailed, std::to_string(i));
      return Status();
    });
    CHECK(status.message() == "60");
    for (std::size_t i = 0; i < 60; ++i) CHECK(done[i] == 1);
  }
  const Status thrown =
      ParallelFor(9, 3, [](std::size_t) -> Status { throw std::bad_alloc(); });
  CHECK(thrown.message() == "out of memory");
}

}  // namespace
}  // namespace shardine::parallel_for_test
