// Faults and kills in a pack of three shards, and in one that makes two sizes
// of each image: whatever call fails, nothing half-written is under a final
// name, the error says which file and why, and running the same pack again
// gives the bytes of an undisturbed run.

#include <catch2/catch.hpp>
#include <cerrno>

#include "pipeline/worker_group.h"
#include "shardine/pack.h"
#include "support/fault_sweep.h"
#include "support/variant_fixture.h"

namespace shardine::pack_fault_test {
namespace {

constexpr char kTree[] = "tree";

enum class Kind : std::uint8_t { kPlain, kFolders, kVariants, kSizesAlone };

// Each test is run for one of these after the other.
Kind AnyKind() {
  return GENERATE(Kind::kPlain, Kind::kFolders, Kind::kVariants,
                  Kind::kSizesAlone);
}

// Packs of no images, and of one size.
bool IsPlain(Kind kind) {
  return kind == Kind::kPlain || kind == Kind::kFolders;
}

PackOptions SmallPack(Kind kind) {
  PackOptions options =
      IsPlain(kind) ? PackOf(kTree, "out") : VariantsOf(kTree, "out");
  // Shards that are a folder with a file in it.
  if (kind == Kind::kFolders) options.format = "lmdb/datum:dir=yes";
  options.variants.original = kind != Kind::kSizesAlone;
  // Where that is not to make every failed read a bad image.
  if (kind == Kind::kVariants) options.on_bad = OnBad::kSkip;
  options.threads = 1;
  return options;
}

void PutSmallTree(MemoryStorage& storage, Kind kind) {
  if (IsPlain(kind)) return PutTree(storage, kTree, 3, 3, 900);
  PutImages(storage, kTree);
  if (kind == Kind::kSizesAlone) return;
  storage.Put(std::string(kTree) + "/class1/page.jpg", "<html></html>");
}

Work PackWork(Kind kind) {
  const auto pack = [kind](Storage& storage) {
    return Pack(SmallPack(kind), {.storage = &storage}).status();
  };
  return {[kind](MemoryStorage& storage) { PutSmallTree(storage, kind); },
          pack};
}

// A pack that ended at a bad image, which was then told to skip such; of the
// sources one has changed since, and one is gone.
Work ChangedWork(Kind kind) {
  const auto options = [kind] {
    PackOptions changed = SmallPack(kind);
    changed.variants.original = kind != Kind::kSizesAlone;
    changed.check = ImageCheckLevel::kHeader;
    changed.shuffle = false;
    return changed;
  };
  const auto prepare = [=](MemoryStorage& storage) {
    PutImages(storage, kTree);
    const std::string tree = kTree;
    storage.Put(tree + "/class0/00.jpg", *storage.Get(tree + "/class0/0.jpg"));
    storage.Put(tree + "/class2/9.jpg", "<html></html>");
    PackOptions failing = options();
    failing.on_bad = OnBad::kFail;
    const Status failed = Pack(failing, {.storage = &storage}).status();
    REQUIRE(failed.code() == Code::kCorrupt);
    storage.Put(tree + "/class0/1.jpg", *storage.Get(tree + "/class0/1.jpg"));
  };
  const auto run = [=](Storage& storage) {
    PackOptions skipping = options();
    skipping.on_bad = OnBad::kSkip;
    return Pack(skipping, {.storage = &storage}).status();
  };
  return {prepare, run};
}

// Running the same pack again gives the bytes of an undisturbed run.
void CheckGoesOn(const Work& work, MemoryStorage& storage,
                 const Snapshot& whole) {
  REQUIRE(work.run(storage).ToString() == "OK");
  REQUIRE(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE("A pack killed at any call goes on to the same bytes",
          "[corruption][pack]") {
  const Work work = PackWork(AnyKind());
  const Snapshot whole = Undisturbed(work);
  KillAtEachCall(work, 100, [&](const Aftermath& after) {
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(work, after.storage, whole);
  });
}

// A pack of nine lines that name three files.
Work RepeatsWork() {
  const auto prepare = [](MemoryStorage& storage) {
    PutTree(storage, kTree, 3, 1, 900);
    std::string list;
    for (int i = 0; i < 9; ++i) {
      list += std::to_string(i) + "\t0\tclass" + std::to_string(i * i % 3) +
              "/0.jpg\n";
    }
    storage.Put("l.lst", list);
  };
  const auto run = [](Storage& storage) {
    PackOptions options = SmallPack(Kind::kPlain);
    options.source.list = "l.lst";
    return Pack(options, {.storage = &storage}).status();
  };
  return {prepare, run};
}

TEST_CASE("A pack of a list with repeats that is killed goes on to the same",
          "[corruption][pack]") {
  const Work work = RepeatsWork();
  const Snapshot whole = Undisturbed(work);
  KillAtEachCall(work, 100, [&](const Aftermath& after) {
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(work, after.storage, whole);
  });
}

TEST_CASE("A pack that loses power at any call goes on to the same bytes",
          "[corruption][pack]") {
  const Work work = PackWork(AnyKind());
  const Snapshot whole = Undisturbed(work);
  KillAtEachCall(work, 100, [&](const Aftermath& after) {
    after.storage.LosePower();
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(work, after.storage, whole);
  });
}

TEST_CASE(
    "A pack told otherwise that is killed at any call goes on to the same "
    "bytes",
    "[corruption][pack]") {
  const Work work = ChangedWork(AnyKind());
  const Snapshot whole = Undisturbed(work);
  const bool power = GENERATE(false, true);
  KillAtEachCall(work, 100, [&](const Aftermath& after) {
    if (power) after.storage.LosePower();
    CheckGoesOn(work, after.storage, whole);
  });
}

TEST_CASE("A finished pack survives a loss of power", "[corruption][pack]") {
  const Work work = PackWork(AnyKind());
  MemoryStorage storage;
  work.prepare(storage);
  REQUIRE(work.run(storage).ok());
  storage.LosePower();
  CHECK(TakeSnapshot(storage, "out") == Undisturbed(work));
}

TEST_CASE("Any call that fails is reported with file and errno",
          "[corruption][pack]") {
  const Work work = PackWork(AnyKind());
  const Snapshot whole = Undisturbed(work);
  const Fault faults[] = {
      {Operation::kWrite, 0, ENOSPC, Fault::Effect::kError},
      {Operation::kWrite, 0, EIO, Fault::Effect::kError},
      {Operation::kWrite, 0, ENOSPC, Fault::Effect::kShortWrite},
      {Operation::kSync, 0, EIO, Fault::Effect::kError},
      {Operation::kClose, 0, EIO, Fault::Effect::kError},
      {Operation::kCreate, 0, ENOSPC, Fault::Effect::kError},
      {Operation::kRename, 0, EIO, Fault::Effect::kError},
      {Operation::kSyncDirectory, 0, EIO, Fault::Effect::kError},
      {Operation::kMakeDirectory, 0, EACCES, Fault::Effect::kError},
  };
  StrikeEachCall(work, faults, [&](const Aftermath& after) {
    // A pack cleans up last; the dataset exists by then.
    if (after.status.ok()) {
      REQUIRE(TakeSnapshot(after.storage, "out") == whole);
      return;
    }
    REQUIRE(after.status.code() == Code::kIo);
    REQUIRE(after.status.system_error() == after.fault.error);
    REQUIRE_FALSE(after.status.where().path.empty());
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(work, after.storage, whole);
  });
}

TEST_CASE("A read that fails stops the pack, or finds its dataset complete",
          "[corruption][pack]") {
  const Work work = PackWork(GENERATE(Kind::kPlain, Kind::kSizesAlone));
  const Snapshot whole = Undisturbed(work);
  StrikeEachCall(work, {.operation = Operation::kRead, .error = EIO},
                 kSweepStep, 1, [&](const Aftermath& after) {
                   if (after.status.ok()) {
                     // Its splits were to be compared, which is no part of it.
                     REQUIRE(TakeSnapshot(after.storage, "out") == whole);
                     return;
                   }
                   REQUIRE_FALSE(after.status.where().path.empty());
                   CheckNothingHalfWritten(after.storage, whole);
                   CheckGoesOn(work, after.storage, whole);
                 });
}

TEST_CASE("A pack whose memory ran out at any call ends with a word",
          "[corruption][pack]") {
  const Work work = PackWork(AnyKind());
  const Snapshot whole = Undisturbed(work);
  const Work guarded = {work.prepare, [&](Storage& storage) {
                          return Guarded([&] { return work.run(storage); });
                        }};
  const Fault fault = {.effect = Fault::Effect::kNoMemory};
  StrikeEachCall(guarded, fault, kSweepStep, 100, [&](const Aftermath& after) {
    if (!after.status.ok()) {
      REQUIRE(after.status.code() == Code::kFailed);
      REQUIRE(after.status.message() == "out of memory");
    }
    CheckNothingHalfWritten(after.storage, whole);
    CheckGoesOn(work, after.storage, whole);
  });
}

TEST_CASE("A pack goes on with the threads that the system has",
          "[corruption][pack]") {
  const Kind kind = AnyKind();
  const Work work = PackWork(kind);
  const Snapshot whole = Undisturbed(work);
  for (const unsigned threads : {0u, 1u, 2u, 3u}) {
    MemoryStorage storage;
    work.prepare(storage);
    PackOptions options = SmallPack(kind);
    options.threads = 7;
    Status status;
    {
      const ThreadShortage shortage(threads);
      status = Pack(options, {.storage = &storage}).status();
    }
    INFO(threads << ": " << status.ToString());
    // One thread prepares, another one publishes.
    CHECK(status.ok() == (threads >= 2));
    if (!status.ok()) {
      CHECK(status.code() == Code::kFailed);
      CHECK(status.message().starts_with("no thread can be started: "));
      CheckNothingHalfWritten(storage, whole);
    }
    CheckGoesOn(work, storage, whole);
  }
}

}  // namespace
}  // namespace shardine::pack_fault_test
