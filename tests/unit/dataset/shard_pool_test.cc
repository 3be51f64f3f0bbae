#include "dataset/shard_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <latch>
#include <map>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/stop_scope.h"
#include "io/memory_storage.h"

namespace shardine::shard_pool_test {
namespace {

// Hands out shards and counts how many are open.
struct World {
  World() { storage.Put("shard", "bytes"); }

  // A file that tells when it is closed.
  class CountedFile : public RandomAccessFile {
   public:
    CountedFile(std::unique_ptr<RandomAccessFile> below, std::atomic<int>& open,
                std::atomic<int>& most)
        : below_(std::move(below)), open_(open) {
      const int now = ++open_;
      int seen = most;
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
    }
    ~CountedFile() override { --open_; }
    Result<std::size_t> ReadAt(std::uint64_t offset,
                               std::span<std::byte> out) const override {
      return below_->ReadAt(offset, out);
    }
    std::uint64_t size() const override { return below_->size(); }
    const std::string& path() const override { return below_->path(); }

   private:
    std::unique_ptr<RandomAccessFile> below_;
    std::atomic<int>& open_;
  };

  ShardPool::Opener opener() {
    return [this](std::size_t shard) -> Result<PooledShard> {
      ++opened;
      if (shard == broken) {
        return Status(Code::kIo, "broken").At({.record = shard});
      }
      PooledShard result;
      result.file = std::make_unique<CountedFile>(*storage.Open("shard"), open,
                                                  most_open);
      return result;
    };
  }

  MemoryStorage storage;
  std::atomic<int> opened = 0;
  std::atomic<int> open = 0;
  std::atomic<int> most_open = 0;
  std::atomic<std::size_t> broken = ~std::size_t{0};
};

TEST_CASE_METHOD(World, "ShardPool opens a shard once while it is used",
                 "[shard_pool]") {
  ShardPool pool(2, opener());
  const auto first = pool.Get(7);
  REQUIRE(first.ok());
  CHECK(*pool.Get(7) == *first);
  CHECK(*pool.Get(7) == *first);
  CHECK(opened == 1);
}

TEST_CASE_METHOD(World, "ShardPool closes the least recently used shard first",
                 "[shard_pool]") {
  ShardPool pool(2, opener());
  for (const std::size_t shard : {1u, 2u, 1u, 3u})
    REQUIRE(pool.Get(shard).ok());
  CHECK(opened == 3);
  CHECK(open == 2);
  REQUIRE(pool.Get(1).ok());  // was used after 2
  CHECK(opened == 3);
  REQUIRE(pool.Get(2).ok());
  CHECK(opened == 4);
  CHECK(open == 2);
}

TEST_CASE_METHOD(World, "ShardPool leaves a shard open while somebody holds it",
                 "[shard_pool]") {
  ShardPool pool(1, opener());
  auto held = pool.Get(1);
  REQUIRE(pool.Get(2).ok());
  CHECK(open == 2);
  CHECK((*held)->file->size() == 5);
  held = Status(Code::kFailed, "let go");
  CHECK(open == 1);
}

TEST_CASE_METHOD(World, "ShardPool forgets a failure", "[shard_pool]") {
  ShardPool pool(2, opener());
  broken = 4;
  CHECK(pool.Get(4).status().ToString() == "record 4: broken");
  CHECK(pool.Get(4).status().code() == Code::kIo);
  CHECK(opened == 2);
  broken = 5;
  CHECK(pool.Get(4).ok());
  CHECK(opened == 3);
}

TEST_CASE_METHOD(World, "ShardPool closes its shards where files run short",
                 "[shard_pool]") {
  ShardPool pool(9, [&](std::size_t shard) -> Result<PooledShard> {
    if (open == 3) return Status::FromErrno(EMFILE, "open", "shard");
    return opener()(shard);
  });
  for (const std::size_t shard : {1u, 2u, 3u}) REQUIRE(pool.Get(shard).ok());
  CHECK(pool.Get(4).ok());
  CHECK(open == 1);
  const auto held = std::vector{pool.Get(4), pool.Get(5), pool.Get(6)};
  // All in use: then there is nothing to be done.
  CHECK(pool.Get(7).status().system_error() == EMFILE);
}

TEST_CASE_METHOD(World, "ShardPool keeps to its bound among racing threads",
                 "[shard_pool]") {
  constexpr int kThreads = 8;
  constexpr std::size_t kCapacity = 5;
  {
    ShardPool pool(kCapacity, opener());
    std::atomic<int> failures = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 3000; ++i) {
          const auto shard = pool.Get((i * 7 + static_cast<std::size_t>(t)) %
                                      (i % 1000 < 500 ? 3 : 20));
          if (!shard.ok() || (*shard)->file->size() != 5) ++failures;
        }
      });
    }
    threads.clear();
    CHECK(failures == 0);
    // Two more per thread: one that it opens or closes, and one that it holds.
    CHECK(most_open <= static_cast<int>(kCapacity) + 2 * kThreads);
    CHECK(open == static_cast<int>(kCapacity));
  }
  CHECK(open == 0);
}

// All threads are inside before the first has opened the shard.
std::vector<Status> GetAtOnce(World& world, int threads) {
  std::atomic<int> inside = 0;
  ShardPool pool(2, [&](std::size_t shard) {
    while (inside < threads) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return world.opener()(shard);
  });
  std::vector<Status> statuses(static_cast<std::size_t>(threads));
  std::vector<std::jthread> running;
  for (Status& status : statuses) {
    running.emplace_back([&] {
      ++inside;
      status = pool.Get(4).status();
    });
  }
  return running.clear(), statuses;
}

TEST_CASE_METHOD(World, "ShardPool opens for all who miss a shard at once",
                 "[shard_pool]") {
  for (const Status& status : GetAtOnce(*this, 8)) CHECK(status.ok());
  CHECK(opened == 1);
}

TEST_CASE_METHOD(World, "ShardPool fails for all who miss a shard at once",
                 "[shard_pool]") {
  broken = 4;
  for (const Status& status : GetAtOnce(*this, 8)) {
    CHECK(status.ToString() == "record 4: broken");
  }
  CHECK(opened == 1);
}

TEST_CASE_METHOD(World, "Who waits for another's shard ends when stopped",
                 "[shard_pool]") {
  std::latch is_inside(1), may_go_on(1);
  ShardPool pool(2, [&](std::size_t shard) {
    is_inside.count_down();
    may_go_on.wait();
    return opener()(shard);
  });
  std::jthread first([&] { CHECK(pool.Get(4).ok()); });
  is_inside.wait();
  std::stop_source stop;
  const StopScope scope(stop.get_token());
  stop.request_stop();
  CHECK(pool.Get(4).status().code() == Code::kCancelled);
  may_go_on.count_down();
  first.join();
  CHECK(opened == 1);
}

TEST_CASE_METHOD(World, "A child opens what its parent was opening",
                 "[shard_pool]") {
  std::latch is_inside(1), may_go_on(1);
  const pid_t parent = getpid();
  ShardPool pool(2, [&](std::size_t shard) {
    if (getpid() == parent) {
      is_inside.count_down();
      may_go_on.wait();
    }
    return opener()(shard);
  });
  std::jthread first([&] { CHECK(pool.Get(4).ok()); });
  is_inside.wait();
  const pid_t child = fork();
  if (child == 0) _exit(pool.Get(4).ok() ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  may_go_on.count_down();
}

TEST_CASE("CheckShardSize names the file and both sizes", "[shard_pool]") {
  MemoryStorage storage;
  storage.Put("a.rec", "12345");
  const auto file = storage.Open("a.rec");
  REQUIRE(file.ok());
  CHECK(CheckShardSize(**file, 5).ok());
  const Status wrong = CheckShardSize(**file, 6);
  CHECK(wrong.code() == Code::kCorrupt);
  CHECK(wrong.ToString() ==
        "a.rec: the shard has 5 bytes, its index was made for 6");
}

}  // namespace
}  // namespace shardine::shard_pool_test
