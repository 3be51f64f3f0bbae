#include "pipeline/worker_group.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/bounded_queue.h"

namespace shardine::worker_group_test {
namespace {

TEST_CASE("Guarded makes of every exception the words that it says",
          "[pipeline]") {
  CHECK(Guarded([] { return Status(); }).ok());
  CHECK(Guarded([] { return Status(Code::kCorrupt, "bad"); }).code() ==
        Code::kCorrupt);
  const Status memory = Guarded([]() -> Status { throw std::bad_alloc(); });
  CHECK(memory.code() == Code::kFailed);
  CHECK(memory.message() == "out of memory");
  CHECK(Guarded([]() -> Status {
          std::vector<char> more;
          more.resize(more.max_size() + 1);
          return Status();
        }).message() == "out of memory");
  CHECK(Guarded([]() -> Status {
          throw std::runtime_error("odd");
        }).message() == "unexpected failure: odd");
  CHECK(Guarded([]() -> Status { throw 1; }).message() == "unexpected failure");
}

TEST_CASE("A WorkerGroup goes on with the threads that could be started",
          "[pipeline]") {
  std::atomic<int> closed = 0;
  std::atomic<std::size_t> done = 0;
  WorkerGroup group([&] { ++closed; });
  const ThreadShortage shortage(2);
  REQUIRE(group
              .Start(5,
                     [&](std::size_t i) {
                       done += 1 + i;
                       return Status();
                     })
              .ok());
  CHECK(group.size() == 2);
  CHECK(group.Join().ok());
  CHECK(done == 3);
  CHECK(closed == 0);
}

TEST_CASE("A WorkerGroup that gets no thread says so and what helps",
          "[pipeline]") {
  const ThreadShortage shortage(0);
  WorkerGroup group([] {});
  const Status status = group.Start(3, [](std::size_t) { return Status(); });
  CHECK(status.code() == Code::kFailed);
  CHECK(status.message().starts_with("no thread can be started: "));
  CHECK(status.message().find("ulimit -u") != std::string::npos);
  CHECK(group.size() == 0);
  CHECK(group.Join().ok());
  CHECK(group.Start(0, [](std::size_t) { return Status(); }).ok());
}

TEST_CASE("A WorkerGroup wakes all others when one fails", "[pipeline]") {
  BoundedQueue<int> queue(1);
  WorkerGroup group([&] { queue.Close(); });
  REQUIRE(group
              .Start(3,
                     [&](std::size_t i) -> Status {
                       if (i == 2) throw std::bad_alloc();
                       while (queue.Pop()) {
                       }
                       return Status();
                     })
              .ok());
  CHECK(group.Join().message() == "out of memory");
}

TEST_CASE("A WorkerGroup names a failure to a thread that it wakes",
          "[pipeline]") {
  BoundedQueue<int> queue(1);
  WorkerGroup group([&] { queue.Close(); });
  CHECK(group.failure().ok());
  REQUIRE(group.Start(1, [](std::size_t) -> Status { throw std::bad_alloc(); })
              .ok());
  CHECK_FALSE(queue.Pop());
  CHECK(group.failure().message() == "out of memory");
  CHECK(group.Join().message() == "out of memory");
}

TEST_CASE("A WorkerGroup returns the failure of its first worker",
          "[pipeline]") {
  for (int round = 0; round < 20; ++round) {
    WorkerGroup group([] {});
    REQUIRE(group
                .Start(4,
                       [](std::size_t i) {
                         if (i == 0) return Status();
                         return Status(Code::kFailed, std::to_string(i));
                       })
                .ok());
    CHECK(group.Join().message() == "1");
  }
}

TEST_CASE("A WorkerGroup that is destroyed closes before it joins",
          "[pipeline]") {
  BoundedQueue<int> queue(1);
  std::atomic<int> ended = 0;
  {
    WorkerGroup group([&] { queue.Close(); });
    REQUIRE(group
                .Start(3,
                       [&](std::size_t) {
                         while (queue.Pop()) {
                         }
                         ++ended;
                         return Status();
                       })
                .ok());
  }
  CHECK(ended == 3);
}

}  // namespace
}  // namespace shardine::worker_group_test
