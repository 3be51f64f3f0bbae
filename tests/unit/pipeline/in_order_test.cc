#include "pipeline/in_order.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

namespace shardine::in_order_test {
namespace {

OrderedWork Work(std::uint64_t count, unsigned threads) {
  return {.count = count,
          .threads = threads,
          .most_bytes = 8,
          .bytes = [](std::uint64_t) { return 1; }};
}

TEST_CASE("WorkInOrder takes the pieces in order for any number of threads",
          "[pipeline]") {
  for (const unsigned threads : {1U, 2U, 7U}) {
    std::vector<std::uint64_t> taken;
    const Status status = WorkInOrder<std::uint64_t>(
        Work(100, threads),
        {.make = [](std::uint64_t i) -> Result<std::uint64_t> {
           if (i % 7 == 0) std::this_thread::yield();
           return i * 3;
         },
         .take = [&](std::uint64_t i, std::uint64_t made) -> Result<bool> {
           CHECK(made == i * 3);
           taken.push_back(i);
           return true;
         }});
    REQUIRE(status.ok());
    REQUIRE(taken.size() == 100);
    CHECK(std::ranges::is_sorted(taken));
  }
}

TEST_CASE(
    "WorkInOrder makes several pieces that wait at a time, of so many "
    "bytes at most",
    "[pipeline]") {
  std::atomic<int> waiting = 0;
  std::atomic<int> most = 0;
  const Status status = WorkInOrder<int>(
      Work(64, 16),
      {.make = [&](std::uint64_t) -> Result<int> {
         const int now = ++waiting;
         for (int seen = most;
              seen < now && !most.compare_exchange_weak(seen, now);) {
         }
         std::this_thread::sleep_for(std::chrono::milliseconds(5));
         --waiting;
         return 0;
       },
       .take = [](std::uint64_t, int) -> Result<bool> { return true; }});
  REQUIRE(status.ok());
  CHECK(most > 1);
  CHECK(most <= 8);
}

TEST_CASE("WorkInOrder fails with the first failure in the order of the pieces",
          "[pipeline]") {
  for (const unsigned threads : {1U, 2U, 7U}) {
    std::uint64_t taken = 0;
    const Status status = WorkInOrder<int>(
        Work(100, threads), {.make = [](std::uint64_t i) -> Result<int> {
                               if (i == 41)
                                 return Status(Code::kCorrupt, "the first");
                               if (i > 41)
                                 return Status(Code::kCorrupt, "another");
                               return 0;
                             },
                             .take = [&](std::uint64_t, int) -> Result<bool> {
                               ++taken;
                               return true;
                             }});
    CHECK(status.message() == "the first");
    CHECK(taken == 41);
  }
}

TEST_CASE("WorkInOrder ends where no more pieces are needed", "[pipeline]") {
  for (const unsigned threads : {1U, 7U}) {
    std::uint64_t taken = 0;
    const Status status = WorkInOrder<int>(
        Work(1000, threads),
        {.make = [](std::uint64_t) -> Result<int> { return 0; },
         .take = [&](std::uint64_t i, int) -> Result<bool> {
           ++taken;
           return i < 9;
         }});
    CHECK(status.ok());
    CHECK(taken == 10);
  }
}

TEST_CASE("WorkInOrder does without other threads where the system has none",
          "[pipeline]") {
  const ThreadShortage shortage(0);
  std::uint64_t taken = 0;
  const Status status = WorkInOrder<int>(
      Work(10, 4), {.make = [](std::uint64_t) -> Result<int> { return 0; },
                    .take = [&](std::uint64_t, int) -> Result<bool> {
                      ++taken;
                      return true;
                    }});
  CHECK(status.ok());
  CHECK(taken == 10);
}

TEST_CASE("WorkInOrder says an exception as a failure", "[pipeline]") {
  for (const unsigned threads : {1U, 4U}) {
    const Status status = WorkInOrder<int>(
        Work(10, threads),
        {.make = [](std::uint64_t) -> Result<int> { throw std::bad_alloc(); },
         .take = [](std::uint64_t, int) -> Result<bool> { return true; }});
    CHECK(status.message() == "out of memory");
  }
}

}  // namespace
}  // namespace shardine::in_order_test
