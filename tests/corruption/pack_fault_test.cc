// Faults and kills in a pack of three shards, and in one that makes two sizes
// of each image: whatever call fails, nothing half-written is under a final
// name, the error says which file and why, and running the same pack again
// gives the bytes of an undisturbed run.

#include <catch2/catch.hpp>
#include <cerrno>

#include "io/fault_storage.h"
#include "pack/run.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine {
namespace {

#ifdef SHARDINE_COARSE_SWEEPS
constexpr std::uint64_t kStep = 7;
#else
constexpr std::uint64_t kStep = 1;
#endif

constexpr char kTree[] = "tree";

enum class Kind : std::uint8_t { kPlain, kVariants, kSizesAlone };

// Each test is run for one of these after the other.
Kind AnyKind() {
  return GENERATE(Kind::kPlain, Kind::kVariants, Kind::kSizesAlone);
}

PackOptions SmallPack(Kind kind) {
  PackOptions options =
      kind == Kind::kPlain ? PackOf(kTree, "out") : VariantsOf(kTree, "out");
  options.variants.original = kind != Kind::kSizesAlone;
  // Where that is not to make every failed read a bad image.
  if (kind == Kind::kVariants) options.on_bad = OnBad::kSkip;
  options.threads = 1;
  return options;
}

void PutSmallTree(MemoryStorage& storage, Kind kind) {
  if (kind == Kind::kPlain) return PutTree(storage, kTree, 3, 3, 900);
  PutImages(storage, kTree);
  if (kind == Kind::kSizesAlone) return;
  storage.Put(std::string(kTree) + "/class1/page.jpg", "<html></html>");
}

Status PackIn(Storage& storage, Kind kind) {
  return RunPack(storage, SmallPack(kind), {}, {}, BuiltinFormats()).status();
}

Snapshot Undisturbed(Kind kind) {
  MemoryStorage storage;
  PutSmallTree(storage, kind);
  REQUIRE(PackIn(storage, kind).ok());
  return TakeSnapshot(storage, "out");
}

std::uint64_t CallsOf(Operation operation, Kind kind) {
  MemoryStorage storage;
  PutSmallTree(storage, kind);
  FaultStorage counting(storage, {.operation = operation, .call = UINT64_MAX});
  REQUIRE(PackIn(counting, kind).ok());
  return counting.calls(operation);
}

// Files under final names are those of an undisturbed run, or absent.
void CheckNothingHalfWritten(Storage& storage, const Snapshot& whole) {
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    // Journal and temporary names.
    if (name.starts_with(".") || name.find("/.") != name.npos) continue;
    INFO(name);
    REQUIRE(whole.contains(name));
    REQUIRE(whole.at(name) == contents);
  }
}

TEST_CASE("A pack killed at any call goes on to the same bytes",
          "[corruption][pack]") {
  const Kind kind = AnyKind();
  const Snapshot whole = Undisturbed(kind);
  const std::uint64_t calls = CallsOf(Operation::kAny, kind);
  REQUIRE(calls > 100);
  for (std::uint64_t call = 0; call < calls; call += kStep) {
    INFO("killed at call " << call);
    MemoryStorage storage;
    PutSmallTree(storage, kind);
    FaultStorage dying(storage, {.operation = Operation::kAny,
                                 .call = call,
                                 .effect = Fault::Effect::kCrash});
    const Status killed = PackIn(dying, kind);
    REQUIRE(dying.struck());
    CheckNothingHalfWritten(storage, whole);
    const Status resumed = PackIn(storage, kind);
    INFO(killed.ToString());
    REQUIRE(resumed.ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == whole);
  }
}

TEST_CASE("A pack that loses power at any call goes on to the same bytes",
          "[corruption][pack]") {
  const Kind kind = AnyKind();
  const Snapshot whole = Undisturbed(kind);
  const std::uint64_t calls = CallsOf(Operation::kAny, kind);
  for (std::uint64_t call = 0; call < calls; call += kStep) {
    INFO("power lost at call " << call);
    MemoryStorage storage;
    PutSmallTree(storage, kind);
    FaultStorage dying(storage, {.operation = Operation::kAny,
                                 .call = call,
                                 .effect = Fault::Effect::kCrash});
    (void)PackIn(dying, kind);
    storage.LosePower();
    CheckNothingHalfWritten(storage, whole);
    REQUIRE(PackIn(storage, kind).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == whole);
  }
}

TEST_CASE("A finished pack survives a loss of power", "[corruption][pack]") {
  const Kind kind = AnyKind();
  const Snapshot whole = Undisturbed(kind);
  MemoryStorage storage;
  PutSmallTree(storage, kind);
  REQUIRE(PackIn(storage, kind).ok());
  storage.LosePower();
  CHECK(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE("Any call that fails is reported with file and errno",
          "[corruption][pack]") {
  const Kind kind = AnyKind();
  const Snapshot whole = Undisturbed(kind);
  struct Case {
    Operation operation;
    int error;
    Fault::Effect effect;
  };
  const Case cases[] = {
      {Operation::kWrite, ENOSPC, Fault::Effect::kError},
      {Operation::kWrite, EIO, Fault::Effect::kError},
      {Operation::kWrite, ENOSPC, Fault::Effect::kShortWrite},
      {Operation::kSync, EIO, Fault::Effect::kError},
      {Operation::kClose, EIO, Fault::Effect::kError},
      {Operation::kCreate, ENOSPC, Fault::Effect::kError},
      {Operation::kRename, EIO, Fault::Effect::kError},
      {Operation::kSyncDirectory, EIO, Fault::Effect::kError},
      {Operation::kMakeDirectory, EACCES, Fault::Effect::kError},
  };
  for (const Case& c : cases) {
    const std::uint64_t calls = CallsOf(c.operation, kind);
    REQUIRE(calls > 0);
    for (std::uint64_t call = 0; call < calls; ++call) {
      INFO("operation " << static_cast<int>(c.operation) << " error " << c.error
                        << " call " << call);
      MemoryStorage storage;
      PutSmallTree(storage, kind);
      FaultStorage failing(storage, {.operation = c.operation,
                                     .call = call,
                                     .error = c.error,
                                     .effect = c.effect});
      const Status failed = PackIn(failing, kind);
      REQUIRE(failing.struck());
      // Clean-up is the last thing a pack does; the dataset is there by then.
      if (failed.ok()) {
        REQUIRE(TakeSnapshot(storage, "out") == whole);
        continue;
      }
      REQUIRE(failed.code() == Code::kIo);
      REQUIRE(failed.system_error() == c.error);
      REQUIRE_FALSE(failed.where().path.empty());
      CheckNothingHalfWritten(storage, whole);
      REQUIRE(PackIn(storage, kind).ToString() == "OK");
      REQUIRE(TakeSnapshot(storage, "out") == whole);
    }
  }
}

TEST_CASE("A read that fails while reading back stops the pack",
          "[corruption][pack]") {
  const Kind kind = GENERATE(Kind::kPlain, Kind::kSizesAlone);
  const Snapshot whole = Undisturbed(kind);
  const std::uint64_t calls = CallsOf(Operation::kRead, kind);
  for (std::uint64_t call = 0; call < calls; call += kStep) {
    MemoryStorage storage;
    PutSmallTree(storage, kind);
    FaultStorage failing(
        storage, {.operation = Operation::kRead, .call = call, .error = EIO});
    const Status failed = PackIn(failing, kind);
    INFO("read " << call << ": " << failed.ToString());
    REQUIRE_FALSE(failed.ok());
    REQUIRE_FALSE(failed.where().path.empty());
    CheckNothingHalfWritten(storage, whole);
    REQUIRE(PackIn(storage, kind).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == whole);
  }
}

}  // namespace
}  // namespace shardine
