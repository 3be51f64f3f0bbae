#include "io/folder_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>

#include "unit/io/storage_worlds.h"

namespace shardine::folder_lock_test {
namespace {

TEMPLATE_TEST_CASE("A FolderLock excludes every other one on its folder",
                   "[lock]", LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  auto lock = FolderLock::Take(storage, world / "new/out");
  REQUIRE(lock.status().ToString() == "OK");
  const Status refused = FolderLock::Take(storage, world / "new/out").status();
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == world / "new/out");
  CHECK(refused.message().starts_with(
      "another run of shardine is at work on this folder ("));
  CHECK(refused.message().ends_with(" has the lock)"));
  CHECK(FolderLock::Take(storage, world / "new/other").ok());
  CHECK(lock->Release().ok());
  CHECK(lock->Release().ok());
  CHECK(storage.List(world / "new/out")->empty());
  CHECK(FolderLock::Take(storage, world / "new/out").ok());
}

TEMPLATE_TEST_CASE("A FolderLock that is destroyed leaves what it did not make",
                   "[lock]", LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  {
    auto lock = FolderLock::Take(storage, world / "out");
    REQUIRE(lock.ok());
    auto file = storage.Create(WorkPath(world / "out", "mine"));
    REQUIRE(file.ok());
    const FolderLock moved = *std::move(lock);
    CHECK_FALSE(FolderLock::Take(storage, world / "out").ok());
  }
  const auto left = storage.List(world / "out/.pack");
  REQUIRE(left.ok());
  REQUIRE(left->size() == 1);
  CHECK(left->front().name == "mine");
}

TEMPLATE_TEST_CASE("A FolderLock takes over what a killed run left", "[lock]",
                   LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  REQUIRE(storage.CreateDirectories(world / "out/.pack").ok());
  REQUIRE(storage.Create(WorkPath(world / "out", "lock")).ok());
  auto lock = FolderLock::Take(storage, world / "out");
  REQUIRE(lock.ok());
  CHECK(lock->Release().ok());
  CHECK(storage.List(world / "out")->empty());
}

TEMPLATE_TEST_CASE("A FolderLock whose file was replaced excludes the next one",
                   "[lock]", LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  auto first = FolderLock::Take(storage, world / "out");
  REQUIRE(first.ok());
  // Opened before the first one ends, locked after: its file is gone.
  REQUIRE(first->Release().ok());
  auto second = FolderLock::Take(storage, world / "out");
  REQUIRE(second.ok());
  CHECK_FALSE(FolderLock::Take(storage, world / "out").ok());
}

// Concurrency review 22.
TEST_CASE("A FolderLock removes no lock of another holder", "[lock]") {
  LocalWorld world;
  Storage& storage = world.storage();
  auto lock = FolderLock::Take(storage, world / "out");
  REQUIRE(lock.ok());
  // Somebody removes the work folder by hand, and another run begins.
  const std::string path = WorkPath(world / "out", "lock");
  REQUIRE(storage.Remove(path).ok());
  auto other = FolderLock::Take(storage, world / "out");
  REQUIRE(other.ok());
  CHECK(lock->Release().ok());
  CHECK(storage.Stat(path).ok());
  CHECK(FolderLock::Take(storage, world / "out").status().code() ==
        Code::kAlreadyExists);
  CHECK(other->Release().ok());
}

TEST_CASE("A forked child does not hold the lock of its parent", "[lock]") {
  LocalWorld world;
  Storage& storage = world.storage();
  std::optional<FolderLock> lock(*FolderLock::Take(storage, world / "out"));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    char byte;
    ::_exit(::read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  CHECK(lock->Release().ok());
  CHECK(FolderLock::Take(storage, world / "out").ok());
  ::close(ends[1]);
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
}  // namespace shardine::folder_lock_test
