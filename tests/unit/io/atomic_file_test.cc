#include "io/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "io/temporary_name.h"
#include "support/fault_storage.h"
#include "unit/io/storage_worlds.h"

namespace shardine::atomic_file_test {
namespace {

const std::string kName = "d/name";
const std::string kTemporary = TemporaryName(kName);

bool Exists(Storage& storage, const std::string& path) {
  return storage.Stat(path).ok();
}

// Two appends, so that a failed second one has left something.
Status WriteTwice(Storage& storage) {
  auto file = AtomicFile::Create(storage, kName);
  if (!file.ok()) return file.status();
  Status status = file->Append(AsBytes("new "));
  if (status.ok()) status = file->Append(AsBytes("contents"));
  if (!status.ok()) return status;
  return file->Publish();
}

TEST_CASE("TemporaryName is hidden and lies in the same directory",
          "[atomic]") {
  CHECK(TemporaryName("dir/name") == "dir/.name.0c354ecdc24a77d5.tmp");
  CHECK(TemporaryName("../a/b.rec").starts_with("../a/.b.rec."));
  CHECK(TemporaryName("/name").starts_with("/.name."));
  CHECK(TemporaryName("a") != TemporaryName("b"));
}

TEST_CASE("TemporaryName fits for every name that a file may have",
          "[atomic]") {
  for (const std::size_t size : {1u, 199u, 200u, 201u, 251u, 255u}) {
    for (const char* letter : {"n", "\xc3\xa9", "\xe2\x82\xac"}) {
      std::string name = "x";
      while (name.size() < size) name += letter;
      INFO(size << letter);
      const std::string temporary = TemporaryName(name);
      CHECK(temporary.size() <= 255);
      CHECK(IsTemporaryName(temporary));
      CHECK(NameOfTemporary(temporary) ==
            (name.size() <= 200 ? std::optional(name) : std::nullopt));
      // No half of a character before the digits.
      const std::string stem = temporary.substr(0, temporary.size() - 21);
      CHECK((name + ".").starts_with(stem.substr(1)));
      CHECK((stem.size() - 2) % std::string(letter).size() == 0);
      CHECK(TemporaryName(name + "y") != temporary);
    }
  }
}

TEST_CASE("IsTemporaryName knows the names that TemporaryName makes alone",
          "[atomic]") {
  CHECK(IsTemporaryName(FileNameOf(TemporaryName("d/train.rec"))));
  CHECK(NameOfTemporary(FileNameOf(TemporaryName("d/train.rec"))) ==
        "train.rec");
  for (const char* name :
       {"", ".", "..", ".tmp", "..tmp", "x.tmp", ".x", ".x.tmp", ".x.tmp2",
        ".train.rec.0123456789abcdef.tmp", ".0123456789abcdef.tmp",
        "..0123456789abcdef.tmp", ".name.x0c354ecdc24a77d5.tmp"}) {
    CHECK_FALSE(IsTemporaryName(name));
    CHECK_FALSE(NameOfTemporary(name).has_value());
  }
}

TEMPLATE_TEST_CASE(
    "AtomicFile appears under its name at Publish and not before", "[atomic]",
    LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "old");
  auto file = AtomicFile::Create(storage, world / "a");
  REQUIRE(file.ok());
  CHECK(file->Append(AsBytes("new ")).ok());
  CHECK(file->Append(AsBytes("contents")).ok());
  CHECK(Read(storage, world / "a") == "old");
  CHECK(Exists(storage, TemporaryName(world / "a")));
  CHECK(file->Publish().ok());
  CHECK(Read(storage, world / "a") == "new contents");
  CHECK_FALSE(Exists(storage, TemporaryName(world / "a")));
}

TEMPLATE_TEST_CASE("AtomicFile abandoned leaves nothing", "[atomic]",
                   LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  {
    auto file = AtomicFile::Create(storage, world / "a");
    REQUIRE(file.ok());
    CHECK(file->Append(AsBytes("part")).ok());
  }
  CHECK(storage.List(world / "")->empty());
}

TEMPLATE_TEST_CASE("AtomicFile takes no name of a folder", "[atomic]",
                   LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  REQUIRE(storage.CreateDirectories(world / "a").ok());
  const auto file = AtomicFile::Create(storage, world / "a");
  CHECK(file.status().code() == Code::kInvalidArgument);
  CHECK(file.status().where().path == world / "a");
  CHECK(storage.List(world / "")->size() == 1);
}

// A rename would put a file in the place of a pipe that others read from, or,
// as root, of /dev/null.
TEST_CASE("AtomicFile replaces no pipe and no device", "[atomic]") {
  LocalWorld world;
  REQUIRE(::mkfifo((world / "pipe").c_str(), 0600) == 0);
  REQUIRE(::symlink("/dev/null", (world / "link").c_str()) == 0);
  for (const char* name : {"pipe", "link"}) {
    const auto file = AtomicFile::Create(world.storage(), world / name);
    CHECK(file.status().code() == Code::kInvalidArgument);
    CHECK(world.storage().Stat(world / name)->kind == FileKind::kOther);
  }
  CHECK(world.storage().List(world / "")->size() == 2);
}

TEMPLATE_TEST_CASE("WriteFileAtomically replaces a file and its leftovers",
                   "[atomic]", LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, TemporaryName(world / "a"), "longer than what comes now");
  REQUIRE(WriteFileAtomically(storage, world / "a", AsBytes("x")).ok());
  CHECK(Read(storage, world / "a") == "x");
  CHECK(storage.List(world / "")->size() == 1);
  const std::string path = world / "none/a";
  const Status status = WriteFileAtomically(storage, path, {});
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == TemporaryName(world / "none/a"));
}

TEST_CASE("AtomicFile moved from does nothing; assigned over, it abandons",
          "[atomic]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("d").ok());
  auto first = AtomicFile::Create(storage, "d/first");
  auto second = AtomicFile::Create(storage, "d/second");
  REQUIRE((first.ok() && second.ok()));
  {
    AtomicFile moved = *std::move(first);
    CHECK(Exists(storage, TemporaryName("d/first")));
    moved = *std::move(second);
    CHECK_FALSE(Exists(storage, TemporaryName("d/first")));
    CHECK(moved.Append(AsBytes("x")).ok());
    CHECK(moved.Publish().ok());
  }
  CHECK(Read(storage, "d/second") == "x");
  CHECK(storage.List("d")->size() == 1);
}

TEST_CASE("AtomicFile survives a power cut exactly when it was published",
          "[atomic][power]") {
  MemoryStorage storage;
  storage.Put(kName, "old");
  {
    auto file = AtomicFile::Create(storage, kName);
    REQUIRE(file.ok());
    REQUIRE(file->Append(AsBytes("new")).ok());
    storage.LosePower();
    CHECK(Read(storage, kName) == "old");
  }
  REQUIRE(WriteTwice(storage).ok());
  storage.LosePower();
  CHECK(Read(storage, kName) == "new contents");
  CHECK_FALSE(Exists(storage, kTemporary));
}

TEST_CASE("AtomicFile needs each of its syncs to survive a power cut",
          "[atomic][power]") {
  MemoryStorage storage;
  storage.Put(kName, "old");
  const auto operation = GENERATE(Operation::kSync, Operation::kSyncDirectory);
  FaultStorage faulty(
      storage, {.operation = operation, .effect = Fault::Effect::kLostSync});
  REQUIRE(WriteTwice(faulty).ok());
  CHECK(faulty.struck());
  storage.LosePower();
  CHECK(Read(storage, kName) != "new contents");
}

TEST_CASE("AtomicFile shows all or nothing whatever call fails",
          "[atomic][fault]") {
  const auto operation = GENERATE(
      Operation::kCreate, Operation::kWrite, Operation::kSync,
      Operation::kClose, Operation::kRename, Operation::kSyncDirectory);
  const auto effect =
      GENERATE(Fault::Effect::kError, Fault::Effect::kShortWrite);
  const std::uint64_t call = GENERATE(0u, 1u);
  const int error = GENERATE(EIO, ENOSPC);
  if (call == 1 && operation != Operation::kWrite) return;
  MemoryStorage storage;
  storage.Put(kName, "old");
  FaultStorage faulty(
      storage,
      {.operation = operation, .call = call, .error = error, .effect = effect});
  const Status status = WriteTwice(faulty);
  INFO(status.ToString());
  REQUIRE(faulty.struck());
  CHECK(status.code() == Code::kIo);
  CHECK(status.system_error() == error);
  const bool directory = operation == Operation::kSyncDirectory;
  CHECK(status.where().path == (directory ? "d" : kTemporary));
  CHECK(Read(storage, kName) == (directory ? "new contents" : "old"));
  CHECK(storage.List("d")->size() == 1);
  storage.LosePower();
  CHECK(Read(storage, kName) == "old");
}

TEST_CASE("AtomicFile shows all or nothing wherever the process dies",
          "[atomic][fault]") {
  const bool power_too = GENERATE(false, true);
  MemoryStorage counted;
  counted.Put(kName, "old");
  FaultStorage counter(counted, {.call = ~std::uint64_t{0}});
  REQUIRE(WriteTwice(counter).ok());
  const std::uint64_t calls = counter.calls(Operation::kAny);
  REQUIRE(calls == 8);
  for (std::uint64_t call = 0; call < calls; ++call) {
    MemoryStorage storage;
    storage.Put(kName, "old");
    FaultStorage faulty(storage,
                        {.call = call, .effect = Fault::Effect::kCrash});
    CHECK_FALSE(WriteTwice(faulty).ok());
    if (power_too) storage.LosePower();
    const bool renamed = call == calls - 1 && !power_too;
    CHECK(Read(storage, kName) == (renamed ? "new contents" : "old"));
    // The dead cannot clean up; the next run can. Its first call only looks.
    const bool leftover = call > 1 && !renamed && !power_too;
    CHECK(Exists(storage, kTemporary) == leftover);
    REQUIRE(WriteTwice(storage).ok());
    CHECK(Read(storage, kName) == "new contents");
    CHECK(storage.List("d")->size() == 1);
  }
}

TEST_CASE("AtomicFile does not publish after an append that failed",
          "[atomic][fault]") {
  MemoryStorage storage;
  storage.Put(kName, "old");
  FaultStorage faulty(storage, {.operation = Operation::kWrite,
                                .error = ENOSPC,
                                .effect = Fault::Effect::kShortWrite});
  auto file = AtomicFile::Create(faulty, kName);
  REQUIRE(file.ok());
  CHECK(file->Append(AsBytes("new contents")).system_error() == ENOSPC);
  CHECK(file->Append(AsBytes("more")).system_error() == ENOSPC);
  CHECK(Read(storage, kTemporary) == "new co");
  CHECK(file->Publish().system_error() == ENOSPC);
  CHECK(Read(storage, kName) == "old");
  CHECK_FALSE(Exists(storage, kTemporary));
}

TEST_CASE("PublishTemporary renames a finished file and syncs the directory",
          "[atomic][power]") {
  MemoryStorage storage;
  storage.Put(kTemporary, "finished");
  REQUIRE(PublishTemporary(storage, kName).ok());
  storage.LosePower();
  CHECK(Read(storage, kName) == "finished");
  CHECK_FALSE(Exists(storage, kTemporary));
  CHECK(PublishTemporary(storage, kName).code() == Code::kNotFound);
}

}  // namespace
}  // namespace shardine::atomic_file_test
