// Faults and kills in a reindex of a dataset with two sizes, adding entry
// points and removing them: whatever call fails, the dataset is a sound one,
// the error says which file and why, and the same reindex gives the bytes of an
// undisturbed one.

#include <catch2/catch.hpp>
#include <cerrno>

#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/verify.h"
#include "support/fault_sweep.h"
#include "support/variant_fixture.h"

namespace shardine::reindex_fault_test {
namespace {

EntryPoints Other(EntryPoints wanted) {
  return wanted == EntryPoints::kAuto ? EntryPoints::kNone : EntryPoints::kAuto;
}

// Packed with the opposite of `wanted`, once for both.
const MemoryStorage& Packed(EntryPoints wanted) {
  static const auto make = [](EntryPoints has) {
    auto storage = std::make_unique<MemoryStorage>();
    PutImages(*storage, "tree");
    PackOptions options = VariantsOf("tree", "out");
    options.entry_points = has;
    REQUIRE(Pack(options, {.storage = &*storage}).ok());
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

Work ReindexWork(EntryPoints wanted) {
  const auto reindex = [wanted](Storage& storage) {
    ReindexOptions options;
    options.dataset = "out";
    options.entry_points = wanted;
    options.threads = 1;
    return Reindex(options, {.storage = &storage}).status();
  };
  return {[wanted](MemoryStorage& storage) { PutDataset(storage, wanted); },
          reindex};
}

// All files of the manifests exist and are whole, and nothing else changed.
void CheckSound(Storage& storage, const Snapshot& whole) {
  VerifyOptions options;
  options.target = "out";
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  for (const Status& finding : result->findings) FAIL(finding.ToString());
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    if (!name.ends_with(".rec") && !name.ends_with(".sdx")) continue;
    REQUIRE(contents == whole.at(name));
  }
}

EntryPoints AnyEntryPoints() {
  return GENERATE(EntryPoints::kAuto, EntryPoints::kNone);
}

TEST_CASE("A reindex killed at any call leaves a sound dataset and goes on",
          "[corruption][reindex]") {
  const EntryPoints wanted = AnyEntryPoints();
  const bool power = GENERATE(false, true);
  const Work work = ReindexWork(wanted);
  const Snapshot whole = Undisturbed(work);
  MemoryStorage untouched;
  work.prepare(untouched);
  const Snapshot before = TakeSnapshot(untouched, "out");
  KillAtEachCall(work, 50, [&](const Aftermath& after) {
    if (power) after.storage.LosePower();
    CheckSound(after.storage, whole);
    // On, or back.
    const bool on = after.fault.call % 2 == 0;
    const Work next = on ? work : ReindexWork(Other(wanted));
    REQUIRE(next.run(after.storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(after.storage, "out") == (on ? whole : before));
  });
}

TEST_CASE("A finished reindex survives a loss of power",
          "[corruption][reindex]") {
  const Work work = ReindexWork(AnyEntryPoints());
  MemoryStorage storage;
  work.prepare(storage);
  REQUIRE(work.run(storage).ok());
  storage.LosePower();
  CheckSound(storage, Undisturbed(work));
}

TEST_CASE("A call that fails in a reindex is reported with file and errno",
          "[corruption][reindex]") {
  const Fault faults[] = {
      {Operation::kWrite, 0, ENOSPC, Fault::Effect::kError},
      {Operation::kWrite, 0, ENOSPC, Fault::Effect::kShortWrite},
      {Operation::kSync, 0, EIO, Fault::Effect::kError},
      {Operation::kClose, 0, EIO, Fault::Effect::kError},
      {Operation::kCreate, 0, ENOSPC, Fault::Effect::kError},
      {Operation::kRename, 0, EIO, Fault::Effect::kError},
      {Operation::kRemove, 0, EACCES, Fault::Effect::kError},
      {Operation::kSyncDirectory, 0, EIO, Fault::Effect::kError},
      {Operation::kMakeDirectory, 0, EACCES, Fault::Effect::kError},
      {Operation::kLock, 0, EIO, Fault::Effect::kError},
      {Operation::kRead, 0, EIO, Fault::Effect::kError},
      {Operation::kOpen, 0, EACCES, Fault::Effect::kError},
  };
  const Work work = ReindexWork(AnyEntryPoints());
  const Snapshot whole = Undisturbed(work);
  std::uint64_t seen = 0;
  for (const Fault& fault : faults) {
    StrikeEachCall(work, fault, 1, 0, [&](const Aftermath& after) {
      CheckSound(after.storage, whole);
      if (!after.status.ok()) {
        ++seen;
        REQUIRE(after.status.system_error() == fault.error);
        REQUIRE_FALSE(after.status.where().path.empty());
        REQUIRE(work.run(after.storage).ToString() == "OK");
      }
      REQUIRE(TakeSnapshot(after.storage, "out") == whole);
    });
  }
  CHECK(seen > 50);
}

}  // namespace
}  // namespace shardine::reindex_fault_test
