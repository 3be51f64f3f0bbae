// Faults and kills in a resize of five images: whatever call fails, a file
// under its name is whole, and running the same resize again gives the tree of
// an undisturbed run.

#include <catch2/catch.hpp>
#include <cerrno>

#include "pipeline/worker_group.h"
#include "shardine/resize.h"
#include "support/fault_sweep.h"
#include "support/resize_fixture.h"

namespace shardine::resize_fault_test {
namespace {

ResizeOptions Options() {
  ResizeOptions options = ResizeOf("tree", "out");
  options.on_bad = OnBad::kQuarantine;
  options.threads = 1;
  return options;
}

void PutSources(MemoryStorage& storage) {
  PutPhotos(storage, "tree");
  storage.Put("tree/b/bad.jpg", "bad");
}

Status ResizeIn(Storage& storage) {
  return ResizeTree(Options(), {.storage = &storage}).status();
}

Work ResizeWork() { return {&PutSources, &ResizeIn}; }

void CheckGoesOn(MemoryStorage& storage, const Snapshot& whole) {
  REQUIRE(ResizeIn(storage).ToString() == "OK");
  REQUIRE(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE("A resize killed at any call goes on to the same tree",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed(ResizeWork());
  KillAtEachCall(ResizeWork(), 100, [&](const Aftermath& after) {
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(after.storage, whole);
  });
}

TEST_CASE("A resize that loses power at any call goes on to the same tree",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed(ResizeWork());
  KillAtEachCall(ResizeWork(), 100, [&](const Aftermath& after) {
    after.storage.LosePower();
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(after.storage, whole);
  });
}

TEST_CASE("A complete tree survives a loss of power", "[corruption][resize]") {
  MemoryStorage storage;
  PutSources(storage);
  REQUIRE(ResizeIn(storage).ok());
  storage.LosePower();
  CHECK(TakeSnapshot(storage, "out") == Undisturbed(ResizeWork()));
}

// Some files of a whole tree are lost; the repair is killed.
TEST_CASE("A repair of a tree killed at any call goes on to the same tree",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed(ResizeWork());
  const Work repair{[](MemoryStorage& storage) {
                      PutSources(storage);
                      REQUIRE(ResizeIn(storage).ok());
                      REQUIRE(storage.Remove("out/sz/8/a/1.jpg").ok());
                      REQUIRE(storage.Remove("out/sz/16/b/1.jpg").ok());
                    },
                    &ResizeIn};
  KillAtEachCall(repair, 1, [&](const Aftermath& after) {
    CheckGoesOn(after.storage, whole);
  });
}

TEST_CASE("Any call of a resize that fails is reported with file and errno",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed(ResizeWork());
  const Fault faults[] = {
      {Operation::kWrite, 0, ENOSPC, Fault::Effect::kError},
      {Operation::kWrite, 0, ENOSPC, Fault::Effect::kShortWrite},
      {Operation::kSync, 0, EIO, Fault::Effect::kError},
      {Operation::kClose, 0, EIO, Fault::Effect::kError},
      {Operation::kCreate, 0, ENOSPC, Fault::Effect::kError},
      {Operation::kRename, 0, EIO, Fault::Effect::kError},
      {Operation::kSyncDirectory, 0, EIO, Fault::Effect::kError},
      {Operation::kMakeDirectory, 0, EACCES, Fault::Effect::kError},
      {Operation::kList, 0, EIO, Fault::Effect::kError},
      {Operation::kLock, 0, EIO, Fault::Effect::kError},
  };
  StrikeEachCall(ResizeWork(), faults, [&](const Aftermath& after) {
    REQUIRE(after.status.code() == Code::kIo);
    REQUIRE(after.status.system_error() == after.fault.error);
    REQUIRE_FALSE(after.status.where().path.empty());
    CheckNothingHalfWritten(after.storage, whole);
    for (const auto& [name, contents] : TakeSnapshot(after.storage, "out/sz")) {
      INFO(name);
      REQUIRE(IsFinalName(name));
    }
    CheckGoesOn(after.storage, whole);
  });
}

TEST_CASE("A resize whose memory ran out at any call ends with a word",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed(ResizeWork());
  const Work guarded = {&PutSources, [](Storage& storage) {
                          return Guarded([&] { return ResizeIn(storage); });
                        }};
  const Fault fault = {.effect = Fault::Effect::kNoMemory};
  StrikeEachCall(guarded, fault, kSweepStep, 100, [&](const Aftermath& after) {
    if (!after.status.ok()) {
      REQUIRE(after.status.code() == Code::kFailed);
      REQUIRE(after.status.message() == "out of memory");
    }
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(after.storage, whole);
  });
}

TEST_CASE("A resize goes on with the threads that the system has",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed(ResizeWork());
  for (const unsigned threads : {0u, 1u, 2u}) {
    MemoryStorage storage;
    PutSources(storage);
    ResizeOptions options = Options();
    options.threads = 7;
    Status status;
    {
      const ThreadShortage shortage(threads);
      status = ResizeTree(options, {.storage = &storage}).status();
    }
    INFO(threads << ": " << status.ToString());
    CHECK(status.ok() == (threads >= 1));
    CheckNothingHalfWritten(storage, whole);
    CheckGoesOn(storage, whole);
  }
}

}  // namespace
}  // namespace shardine::resize_fault_test
