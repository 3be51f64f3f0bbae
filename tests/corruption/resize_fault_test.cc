// Faults and kills in a resize of five images: whatever call fails, a file
// under its name is whole, and running the same resize again gives the tree of
// an undisturbed run.

#include <catch2/catch.hpp>
#include <cerrno>

#include "io/fault_storage.h"
#include "pack/resize_tree.h"
#include "support/pack_fixture.h"
#include "support/resize_fixture.h"

namespace shardine {
namespace {

#ifdef SHARDINE_COARSE_SWEEPS
constexpr std::uint64_t kStep = 7;
#else
constexpr std::uint64_t kStep = 1;
#endif

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
  return RunResizeTree(storage, Options(), {}, {}).status();
}

Snapshot Undisturbed() {
  MemoryStorage storage;
  PutSources(storage);
  REQUIRE(ResizeIn(storage).ok());
  return TakeSnapshot(storage, "out");
}

std::uint64_t CallsOf(Operation operation) {
  MemoryStorage storage;
  PutSources(storage);
  FaultStorage counting(storage, {.operation = operation, .call = UINT64_MAX});
  REQUIRE(ResizeIn(counting).ok());
  return counting.calls(operation);
}

bool IsFinal(const std::string& name) {
  return !name.starts_with(".") && name.find("/.") == std::string::npos;
}

void CheckNothingHalfWritten(Storage& storage, const Snapshot& whole) {
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    if (!IsFinal(name)) continue;
    INFO(name);
    REQUIRE(whole.contains(name));
    REQUIRE(whole.at(name) == contents);
  }
}

TEST_CASE("A resize killed at any call goes on to the same tree",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed();
  const std::uint64_t calls = CallsOf(Operation::kAny);
  REQUIRE(calls > 100);
  for (std::uint64_t call = 0; call < calls; call += kStep) {
    INFO("killed at call " << call);
    MemoryStorage storage;
    PutSources(storage);
    FaultStorage dying(storage,
                       {.call = call, .effect = Fault::Effect::kCrash});
    const Status killed = ResizeIn(dying);
    REQUIRE(dying.struck());
    CheckNothingHalfWritten(storage, whole);
    INFO(killed.ToString());
    REQUIRE(ResizeIn(storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == whole);
  }
}

TEST_CASE("A resize that loses power at any call goes on to the same tree",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed();
  const std::uint64_t calls = CallsOf(Operation::kAny);
  for (std::uint64_t call = 0; call < calls; call += kStep) {
    INFO("power lost at call " << call);
    MemoryStorage storage;
    PutSources(storage);
    FaultStorage dying(storage,
                       {.call = call, .effect = Fault::Effect::kCrash});
    (void)ResizeIn(dying);
    storage.LosePower();
    CheckNothingHalfWritten(storage, whole);
    REQUIRE(ResizeIn(storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == whole);
  }
}

TEST_CASE("A complete tree survives a loss of power", "[corruption][resize]") {
  const Snapshot whole = Undisturbed();
  MemoryStorage storage;
  PutSources(storage);
  REQUIRE(ResizeIn(storage).ok());
  storage.LosePower();
  CHECK(TakeSnapshot(storage, "out") == whole);
}

// Of a whole tree, some files are lost; the repair is killed.
TEST_CASE("A repair of a tree killed at any call goes on to the same tree",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed();
  bool struck = true;
  for (std::uint64_t call = 0; struck; call += kStep) {
    INFO("killed at call " << call);
    MemoryStorage storage;
    PutSources(storage);
    REQUIRE(ResizeIn(storage).ok());
    REQUIRE(storage.Remove("out/sz/8/a/1.jpg").ok());
    storage.Put("out/sz/16/b/1.jpg", "cut");
    FaultStorage dying(storage,
                       {.call = call, .effect = Fault::Effect::kCrash});
    (void)ResizeIn(dying);
    struck = dying.struck();
    REQUIRE(ResizeIn(storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == whole);
  }
}

TEST_CASE("Any call of a resize that fails is reported with file and errno",
          "[corruption][resize]") {
  const Snapshot whole = Undisturbed();
  struct Case {
    Operation operation;
    int error;
    Fault::Effect effect;
  };
  const Case cases[] = {
      {Operation::kWrite, ENOSPC, Fault::Effect::kError},
      {Operation::kWrite, ENOSPC, Fault::Effect::kShortWrite},
      {Operation::kSync, EIO, Fault::Effect::kError},
      {Operation::kClose, EIO, Fault::Effect::kError},
      {Operation::kCreate, ENOSPC, Fault::Effect::kError},
      {Operation::kRename, EIO, Fault::Effect::kError},
      {Operation::kSyncDirectory, EIO, Fault::Effect::kError},
      {Operation::kMakeDirectory, EACCES, Fault::Effect::kError},
      {Operation::kList, EIO, Fault::Effect::kError},
      {Operation::kLock, EIO, Fault::Effect::kError},
  };
  for (const Case& c : cases) {
    const std::uint64_t calls = CallsOf(c.operation);
    REQUIRE(calls > 0);
    for (std::uint64_t call = 0; call < calls; ++call) {
      INFO("operation " << static_cast<int>(c.operation) << " call " << call);
      MemoryStorage storage;
      PutSources(storage);
      FaultStorage failing(storage, {.operation = c.operation,
                                     .call = call,
                                     .error = c.error,
                                     .effect = c.effect});
      const Status failed = ResizeIn(failing);
      REQUIRE(failing.struck());
      INFO(failed.ToString());
      REQUIRE(failed.code() == Code::kIo);
      REQUIRE(failed.system_error() == c.error);
      REQUIRE_FALSE(failed.where().path.empty());
      CheckNothingHalfWritten(storage, whole);
      for (const auto& [name, contents] : TakeSnapshot(storage, "out/sz")) {
        INFO(name);
        REQUIRE(IsFinal(name));
      }
      REQUIRE(ResizeIn(storage).ToString() == "OK");
      REQUIRE(TakeSnapshot(storage, "out") == whole);
    }
  }
}

}  // namespace
}  // namespace shardine
