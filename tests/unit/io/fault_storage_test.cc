#include "support/fault_storage.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "unit/io/storage_worlds.h"

namespace shardine::fault_storage_test {
namespace {

// Calls each operation once, in the order of the enum; the first failure.
std::vector<std::function<Status(Storage&)>> EachOperation() {
  const auto reading = [](Storage& storage) {
    auto file = storage.Open("d/read");
    if (!file.ok()) return file.status();
    std::byte out[2];
    return (*file)->ReadAt(1, out).status();
  };
  const auto writing = [](Storage& storage) {
    auto file = storage.Create("d/written");
    if (!file.ok()) return file.status();
    Status status = (*file)->Append(AsBytes("1234"));
    if (status.ok()) status = (*file)->Sync();
    if (status.ok()) status = (*file)->Close();
    return status;
  };
  return {
      reading,
      writing,
      [](Storage& s) { return s.Stat("d/read").status(); },
      [](Storage& s) { return s.List("d").status(); },
      [](Storage& s) { return s.CreateDirectories("made"); },
      [](Storage& s) { return s.Rename("d/old", "d/new"); },
      [](Storage& s) { return s.Remove("d/removed"); },
      [](Storage& s) { return s.SyncDirectory("d"); },
      [](Storage& s) { return s.Lock("d/lock").status(); },
  };
}

constexpr Operation kAll[] = {
    Operation::kOpen,   Operation::kRead,   Operation::kCreate,
    Operation::kWrite,  Operation::kSync,   Operation::kClose,
    Operation::kStat,   Operation::kList,   Operation::kMakeDirectory,
    Operation::kRename, Operation::kRemove, Operation::kSyncDirectory,
    Operation::kLock};

void Prepare(MemoryStorage& storage) {
  storage.Put("d/read", "0123");
  storage.Put("d/old", "old");
  storage.Put("d/removed", "removed");
}

// Runs everything; the failures in order.
std::vector<Status> RunAll(Storage& storage) {
  std::vector<Status> failures;
  for (const auto& call : EachOperation()) {
    Status status = call(storage);
    if (!status.ok()) failures.push_back(std::move(status));
  }
  return failures;
}

TEST_CASE("FaultStorage passes and counts every call", "[fault]") {
  MemoryStorage storage;
  Prepare(storage);
  FaultStorage faulty(storage, {.call = 1000});
  CHECK(RunAll(faulty).empty());
  CHECK_FALSE(faulty.struck());
  for (const Operation operation : kAll) CHECK(faulty.calls(operation) == 1);
  CHECK(faulty.calls(Operation::kAny) == std::size(kAll));
  CHECK(Read(storage, "d/written") == "1234");
  CHECK(Read(storage, "d/new") == "old");
  CHECK(storage.Stat("made").ok());
  CHECK_FALSE(storage.Stat("d/removed").ok());
  CHECK(faulty.FreeBytes("d").ok());
  CHECK(faulty.OpenForAppend("d/log").ok());
  CHECK(faulty.calls(Operation::kStat) == 2);
  CHECK(faulty.SyncFileSystem("d").ok());
  CHECK(faulty.calls(Operation::kSync) == 2);
  CHECK(faulty.calls(Operation::kCreate) == 2);
  CHECK((*faulty.Open("d/read"))->size() == 4);
  CHECK((*faulty.Open("d/read"))->path() == "d/read");
  CHECK((*faulty.Create("d/c"))->path() == "d/c");
}

TEST_CASE("FaultStorage fails the chosen call of each kind, and only it",
          "[fault]") {
  for (const Operation operation : kAll) {
    MemoryStorage storage;
    Prepare(storage);
    FaultStorage faulty(storage, {.operation = operation, .error = ENOSPC});
    const std::vector<Status> failures = RunAll(faulty);
    INFO(static_cast<int>(operation));
    CHECK(faulty.struck());
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].code() == Code::kIo);
    CHECK(failures[0].system_error() == ENOSPC);
    CHECK_FALSE(failures[0].where().path.empty());
  }
}

TEST_CASE("FaultStorage words each failure by its call", "[fault]") {
  const char* const expected[] = {"d/read: open: ",
                                  "d/read: byte 1: read: ",
                                  "d/written: create: ",
                                  "d/written: write: ",
                                  "d/written: fsync: ",
                                  "d/written: close: ",
                                  "d/read: stat: ",
                                  "d: read directory: ",
                                  "made: create directory: ",
                                  "d/old: rename: ",
                                  "d/removed: remove: ",
                                  "d: fsync directory: ",
                                  "d/lock: lock: "};
  for (std::size_t i = 0; i < std::size(kAll); ++i) {
    MemoryStorage storage;
    Prepare(storage);
    FaultStorage faulty(storage, {.operation = kAll[i]});
    const std::vector<Status> failures = RunAll(faulty);
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].ToString() ==
          std::string(expected[i]) + "the device cannot be read or written");
  }
}

TEST_CASE("FaultStorage counts calls of the chosen kind, or of all",
          "[fault]") {
  MemoryStorage storage;
  storage.Put("a", "x");
  FaultStorage third_stat(storage, {.operation = Operation::kStat, .call = 2});
  CHECK(third_stat.Stat("a").ok());
  CHECK(third_stat.List("/").ok());
  CHECK(third_stat.Stat("a").ok());
  CHECK_FALSE(third_stat.Stat("a").ok());
  CHECK(third_stat.Stat("a").ok());
  FaultStorage third_call(storage, {.call = 2});
  CHECK(third_call.Stat("a").ok());
  CHECK(third_call.Open("a").ok());
  CHECK_FALSE(third_call.List("/").ok());
  CHECK(third_call.List("/").ok());
}

TEST_CASE("FaultStorage passes real failures through", "[fault]") {
  MemoryStorage storage;
  FaultStorage faulty(storage, {.call = 1000});
  CHECK(faulty.Open("none").status().code() == Code::kNotFound);
  CHECK(faulty.Create("none/a").status().code() == Code::kNotFound);
  CHECK(faulty.OpenForAppend("none/a").status().code() == Code::kNotFound);
}

TEST_CASE("FaultStorage stores half of a short write", "[fault]") {
  MemoryStorage storage;
  Prepare(storage);
  FaultStorage faulty(storage, {.operation = Operation::kWrite,
                                .error = ENOSPC,
                                .effect = Fault::Effect::kShortWrite});
  const std::vector<Status> failures = RunAll(faulty);
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].system_error() == ENOSPC);
  CHECK(Read(storage, "d/written") == "12");
}

TEST_CASE("FaultStorage loses a sync without a word", "[fault]") {
  MemoryStorage storage;
  Prepare(storage);
  const auto operation = GENERATE(Operation::kSync, Operation::kSyncDirectory);
  FaultStorage faulty(
      storage, {.operation = operation, .effect = Fault::Effect::kLostSync});
  CHECK(RunAll(faulty).empty());
  CHECK(faulty.struck());
  storage.LosePower();
  const bool file = operation == Operation::kSync;
  CHECK(Read(storage, "d/new") ==
        (file ? "old" : "(open: no such file or folder)"));
  CHECK(Read(storage, "d/written") ==
        (file ? "" : "(open: no such file or folder)"));
}

TEST_CASE("FaultStorage fails calls that an effect does not fit", "[fault]") {
  MemoryStorage storage;
  storage.Put("a", "x");
  const auto effect =
      GENERATE(Fault::Effect::kShortWrite, Fault::Effect::kLostSync);
  FaultStorage faulty(storage, {.effect = effect});
  CHECK(faulty.Stat("a").status().system_error() == EIO);
}

TEST_CASE("FaultStorage lets nothing through after a crash", "[fault]") {
  for (std::uint64_t call = 0; call < std::size(kAll); ++call) {
    MemoryStorage storage;
    Prepare(storage);
    FaultStorage faulty(storage,
                        {.call = call, .effect = Fault::Effect::kCrash});
    CHECK_FALSE(RunAll(faulty).empty());
    CHECK(faulty.struck());
    const auto entries = storage.List("d")->size();
    CHECK_FALSE(RunAll(faulty).empty());
    CHECK(RunAll(faulty).size() == EachOperation().size());
    CHECK(storage.List("d")->size() == entries);
    CHECK_FALSE(faulty.FreeBytes("d").ok());
    CHECK_FALSE(faulty.OpenForAppend("d/log").ok());
  }
}

TEST_CASE("FaultStorage stops files that were open at the crash", "[fault]") {
  MemoryStorage storage;
  Prepare(storage);
  FaultStorage faulty(storage, {.operation = Operation::kStat,
                                .effect = Fault::Effect::kCrash});
  auto writing = faulty.Create("d/a");
  auto reading = faulty.Open("d/read");
  REQUIRE((writing.ok() && reading.ok()));
  REQUIRE((*writing)->Append(AsBytes("before")).ok());
  CHECK_FALSE(faulty.Stat("d").ok());
  std::byte out[1];
  CHECK_FALSE((*reading)->ReadAt(0, out).ok());
  CHECK_FALSE((*writing)->Append(AsBytes("after")).ok());
  CHECK_FALSE((*writing)->Sync().ok());
  CHECK_FALSE((*writing)->Close().ok());
  (*writing).reset();
  CHECK(Read(storage, "d/a") == "before");
}

TEST_CASE("FaultStorage frees the locks of the dead", "[fault]") {
  MemoryStorage storage;
  FaultStorage faulty(storage, {.operation = Operation::kStat,
                                .effect = Fault::Effect::kCrash});
  auto lock = faulty.Lock("lock");
  REQUIRE(lock.ok());
  CHECK_FALSE(faulty.Stat("lock").ok());
  CHECK_FALSE(storage.Lock("lock").ok());
  (*lock).reset();
  CHECK(storage.Lock("lock").ok());
}

TEST_CASE("FaultStorage works for files that outlive it", "[fault]") {
  MemoryStorage storage;
  storage.Put("a", "x");
  Result<std::unique_ptr<RandomAccessFile>> file = [&] {
    FaultStorage faulty(storage, {.call = 1000});
    return faulty.Open("a");
  }();
  REQUIRE(file.ok());
  std::byte out[1];
  CHECK((*file)->ReadExactly(0, out).ok());
}

}  // namespace
}  // namespace shardine::fault_storage_test
