// Faults and kills in a reindex of a dataset with two sizes, adding entry
// points and removing them: whatever call fails, the dataset is a sound one,
// the error says which file and why, and the same reindex gives the bytes of an
// undisturbed one.

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

EntryPoints Other(EntryPoints wanted) {
  return wanted == EntryPoints::kAuto ? EntryPoints::kNone : EntryPoints::kAuto;
}

// Packed with what is not wanted, once for both.
const MemoryStorage& Packed(EntryPoints wanted) {
  static const auto make = [](EntryPoints has) {
    auto storage = std::make_unique<MemoryStorage>();
    PutImages(*storage, "tree");
    PackOptions options = VariantsOf("tree", "out");
    options.entry_points = has;
    REQUIRE(RunPack(*storage, options, {}, {}, BuiltinFormats()).ok());
    return storage;
  };
  static const auto bare = make(EntryPoints::kNone);
  static const auto full = make(EntryPoints::kAuto);
  return wanted == EntryPoints::kAuto ? *bare : *full;
}

void PutDataset(MemoryStorage& storage, EntryPoints wanted) {
  MemoryStorage& packed = const_cast<MemoryStorage&>(Packed(wanted));
  for (const auto& [name, contents] : TakeSnapshot(packed, "out")) {
    storage.Put("out/" + name, contents);
  }
}

Status ReindexIn(Storage& storage, EntryPoints wanted) {
  ReindexOptions options;
  options.dataset = "out";
  options.entry_points = wanted;
  options.threads = 1;
  return RunReindex(storage, options, {}, {}, BuiltinFormats()).status();
}

Snapshot Undisturbed(EntryPoints wanted) {
  MemoryStorage storage;
  PutDataset(storage, wanted);
  REQUIRE(ReindexIn(storage, wanted).ok());
  return TakeSnapshot(storage, "out");
}

std::uint64_t CallsOf(Operation operation, EntryPoints wanted) {
  MemoryStorage storage;
  PutDataset(storage, wanted);
  FaultStorage counting(storage, {.operation = operation, .call = UINT64_MAX});
  REQUIRE(ReindexIn(counting, wanted).ok());
  return counting.calls(operation);
}

// What the manifests list is there and whole, and nothing else changed.
void CheckSound(Storage& storage, const Snapshot& whole) {
  VerifyOptions options;
  options.target = "out";
  const auto result = RunVerify(storage, options, {}, {}, BuiltinFormats());
  REQUIRE(result.status().ToString() == "OK");
  for (const Status& finding : result->findings) FAIL(finding.ToString());
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    if (!name.ends_with(".rec") && !name.ends_with(".sdx")) continue;
    REQUIRE(contents == whole.at(name));
  }
}

EntryPoints AnyWish() {
  return GENERATE(EntryPoints::kAuto, EntryPoints::kNone);
}

TEST_CASE("A reindex killed at any call leaves a sound dataset and goes on",
          "[corruption][reindex]") {
  const EntryPoints wanted = AnyWish();
  const bool power = GENERATE(false, true);
  const Snapshot whole = Undisturbed(wanted);
  MemoryStorage untouched;
  PutDataset(untouched, wanted);
  const Snapshot before = TakeSnapshot(untouched, "out");
  const std::uint64_t calls = CallsOf(Operation::kAny, wanted);
  REQUIRE(calls > 50);
  for (std::uint64_t call = 0; call < calls; call += kStep) {
    INFO((power ? "power lost at call " : "killed at call ") << call);
    MemoryStorage storage;
    PutDataset(storage, wanted);
    FaultStorage dying(storage, {.operation = Operation::kAny,
                                 .call = call,
                                 .effect = Fault::Effect::kCrash});
    (void)ReindexIn(dying, wanted);
    REQUIRE(dying.struck());
    if (power) storage.LosePower();
    CheckSound(storage, whole);
    // On, or back.
    const EntryPoints next = call % 2 == 0 ? wanted : Other(wanted);
    REQUIRE(ReindexIn(storage, next).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == (next == wanted ? whole : before));
  }
}

TEST_CASE("A finished reindex survives a loss of power",
          "[corruption][reindex]") {
  const EntryPoints wanted = AnyWish();
  MemoryStorage storage;
  PutDataset(storage, wanted);
  REQUIRE(ReindexIn(storage, wanted).ok());
  storage.LosePower();
  CheckSound(storage, Undisturbed(wanted));
}

TEST_CASE("A call that fails in a reindex is reported with file and errno",
          "[corruption][reindex]") {
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
      {Operation::kRemove, EACCES, Fault::Effect::kError},
      {Operation::kSyncDirectory, EIO, Fault::Effect::kError},
      {Operation::kMakeDirectory, EACCES, Fault::Effect::kError},
      {Operation::kLock, EIO, Fault::Effect::kError},
      {Operation::kRead, EIO, Fault::Effect::kError},
      {Operation::kOpen, EACCES, Fault::Effect::kError},
  };
  const EntryPoints wanted = AnyWish();
  const Snapshot whole = Undisturbed(wanted);
  std::uint64_t seen = 0;
  for (const Case& c : cases) {
    const std::uint64_t calls = CallsOf(c.operation, wanted);
    for (std::uint64_t call = 0; call < calls; ++call) {
      INFO("operation " << static_cast<int>(c.operation) << " error " << c.error
                        << " call " << call);
      MemoryStorage storage;
      PutDataset(storage, wanted);
      FaultStorage failing(storage, {.operation = c.operation,
                                     .call = call,
                                     .error = c.error,
                                     .effect = c.effect});
      const Status failed = ReindexIn(failing, wanted);
      REQUIRE(failing.struck());
      CheckSound(storage, whole);
      if (!failed.ok()) {
        ++seen;
        REQUIRE(failed.system_error() == c.error);
        REQUIRE_FALSE(failed.where().path.empty());
        REQUIRE(ReindexIn(storage, wanted).ToString() == "OK");
      }
      REQUIRE(TakeSnapshot(storage, "out") == whole);
    }
  }
  CHECK(seen > 50);
}

}  // namespace
}  // namespace shardine
