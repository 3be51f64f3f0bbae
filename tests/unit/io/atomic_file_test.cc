#include "io/atomic_file.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <utility>

#include "io/fault_storage.h"
#include "unit/io/storage_worlds.h"

namespace shardine {
namespace {

const std::string kName = "d/name";
const std::string kTemporary = "d/.name.tmp";

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
  CHECK(TemporaryName("dir/name") == "dir/.name.tmp");
  CHECK(TemporaryName("name") == ".name.tmp");
  CHECK(TemporaryName("/name") == "/.name.tmp");
  CHECK(TemporaryName("../a/b.rec") == "../a/.b.rec.tmp");
}

TEST_CASE("IsTemporaryName knows the names that TemporaryName makes",
          "[atomic]") {
  CHECK(IsTemporaryName(FileNameOf(TemporaryName("d/train.rec"))));
  CHECK(IsTemporaryName(".x.tmp"));
  for (const char* name :
       {"", ".", "..", ".tmp", "..tmp", "x.tmp", ".x", ".x.tmp2", ".xtmp"}) {
    CHECK_FALSE(IsTemporaryName(name));
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
  CHECK(Exists(storage, world / ".a.tmp"));
  CHECK(file->Publish().ok());
  CHECK(Read(storage, world / "a") == "new contents");
  CHECK_FALSE(Exists(storage, world / ".a.tmp"));
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

TEMPLATE_TEST_CASE("WriteFileAtomically replaces a file and its leftovers",
                   "[atomic]", LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / ".a.tmp", "longer than what comes now");
  REQUIRE(WriteFileAtomically(storage, world / "a", AsBytes("x")).ok());
  CHECK(Read(storage, world / "a") == "x");
  CHECK(storage.List(world / "")->size() == 1);
  const std::string path = world / "none/a";
  const Status status = WriteFileAtomically(storage, path, {});
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == world / "none/.a.tmp");
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
    CHECK(Exists(storage, "d/.first.tmp"));
    moved = *std::move(second);
    CHECK_FALSE(Exists(storage, "d/.first.tmp"));
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
  REQUIRE(calls == 7);
  for (std::uint64_t call = 0; call < calls; ++call) {
    MemoryStorage storage;
    storage.Put(kName, "old");
    FaultStorage faulty(storage,
                        {.call = call, .effect = Fault::Effect::kCrash});
    CHECK_FALSE(WriteTwice(faulty).ok());
    if (power_too) storage.LosePower();
    const bool renamed = call == calls - 1 && !power_too;
    CHECK(Read(storage, kName) == (renamed ? "new contents" : "old"));
    // The dead cannot clean up; the next run can.
    const bool leftover = call > 0 && !renamed && !power_too;
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
}  // namespace shardine
