#include "pack/shard_finisher.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <latch>
#include <stdexcept>
#include <thread>

namespace shardine::shard_finisher_test {
namespace {

TEST_CASE("ShardFinisher works beside its caller, one shard at a time",
          "[pack][finisher]") {
  ShardFinisher finisher;
  CHECK(finisher.Wait().ok());
  std::latch begun(1);
  std::latch go_on(1);
  std::thread::id thread;
  REQUIRE(finisher
              .Begin([&] {
                thread = std::this_thread::get_id();
                begun.count_down();
                go_on.wait();
                return Status();
              })
              .ok());
  begun.wait();  // it runs, and the caller is here
  go_on.count_down();
  std::atomic<int> running = 0;
  for (int i = 0; i < 20; ++i) {
    REQUIRE(finisher
                .Begin([&] {
                  const int others = running++;
                  std::this_thread::yield();
                  --running;
                  return others == 0 ? Status()
                                     : Status(Code::kFailed, "not alone");
                })
                .ok());
  }
  CHECK(finisher.Wait().ok());
  CHECK(thread != std::this_thread::get_id());
}

TEST_CASE("ShardFinisher says a failure once, and begins nothing after it",
          "[pack][finisher]") {
  ShardFinisher finisher;
  const auto fail = [] { return Status(Code::kCorrupt, "read back"); };
  REQUIRE(finisher.Begin(fail).ok());
  bool begun = false;
  const Status status = finisher.Begin([&] {
    begun = true;
    return Status();
  });
  CHECK(status.code() == Code::kCorrupt);
  CHECK(finisher.Wait().ok());
  CHECK_FALSE(begun);
  REQUIRE(finisher.Begin([]() -> Status { throw std::bad_alloc(); }).ok());
  CHECK_FALSE(finisher.Wait().ok());
}

TEST_CASE("ShardFinisher does the work itself where there is no thread",
          "[pack][finisher]") {
  const ThreadShortage shortage(0);
  ShardFinisher finisher;
  std::thread::id thread;
  const Status status = finisher.Begin([&] {
    thread = std::this_thread::get_id();
    return Status(Code::kIo, "here");
  });
  CHECK(status.code() == Code::kIo);
  CHECK(thread == std::this_thread::get_id());
  CHECK(finisher.Wait().ok());
}

TEST_CASE("ShardFinisher ends after its shard", "[pack][finisher]") {
  std::atomic<bool> ended = false;
  {
    ShardFinisher finisher;
    REQUIRE(finisher
                .Begin([&] {
                  std::this_thread::yield();
                  ended = true;
                  return Status();
                })
                .ok());
  }
  CHECK(ended);
}

}  // namespace
}  // namespace shardine::shard_finisher_test
