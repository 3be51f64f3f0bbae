// Files that a resumed run may remove: files that this command is shown to have
// made, and nothing else that has the name of a shard.
#include "pack/leftovers.h"

#include <catch2/catch.hpp>
#include <string>

#include "io/atomic_file.h"
#include "shard/entry_point_file.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "support/dies_before.h"
#include "support/fault_sweep.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::leftovers_test {
namespace {

constexpr char kFirst[] = "train-00000-of-00003.rec";
constexpr char kLast[] = "train-00002-of-00003.rec";
// A shard of no plan.
constexpr char kStray[] = "train-00000-of-00009.rec";

// A pack that was killed before it gave that file its name.
struct World {
  World() {
    PutImages(storage, "tree");
    options = VariantsOf("tree", "out");
    options.shuffle = false;
    options.threads = 1;
  }

  void KillBefore(const std::string& path) {
    DiesBefore killed(storage, path);
    REQUIRE_FALSE(Pack(options, {.storage = &killed}).ok());
    REQUIRE(storage.Stat("out/.pack/journal").ok());
  }
  // All shards are finished, and the sizes complete.
  void KillBeforeTheLastManifest() { KillBefore("out/shardine.json"); }

  Status PackAgain() { return Pack(options, {.storage = &storage}).status(); }
  // Names that file and its way out, and leaves everything as it is.
  void CheckRefused(const std::string& path) {
    const Snapshot before = Contents();
    const Status refused = PackAgain();
    INFO(refused.ToString());
    CHECK(refused.code() == Code::kAlreadyExists);
    CHECK(refused.where().path == path);
    CHECK_THAT(refused.message(),
               Catch::Contains("nothing shows that this command made it") &&
                   Catch::Contains("move away all files") &&
                   Catch::Contains("pack into another folder"));
    CHECK(Contents() == before);
  }
  void CheckDone() {
    REQUIRE(PackAgain().ToString() == "OK");
    PackOptions whole = options;
    whole.output = "whole";
    REQUIRE(Pack(whole, {.storage = &storage}).ok());
    for (const auto& [name, contents] : TakeSnapshot(storage, "whole")) {
      INFO(name);
      CHECK(*storage.Get("out/" + name) == contents);
    }
  }
  // A shard of another pack with all that it needs, and its name.
  void PutOther(const std::string& folder, const std::string& name) {
    PackOptions other = options;
    other.output = "other";
    other.seed = 8;
    other.shuffle = true;
    REQUIRE(Pack(other, {.storage = &storage}).ok());
    storage.Put(folder + "/" + name,
                *storage.Get("other/" + std::string(kFirst)));
    storage.Put(SidecarName(folder + "/" + name),
                *storage.Get(SidecarName("other/" + std::string(kFirst))));
  }
  void Move(const std::string& path) {
    REQUIRE(storage.CreateDirectories("away").ok());
    REQUIRE(storage.Rename(path, "away/" + FileNameOf(path)).ok());
  }
  void MoveFirst() {
    const std::string shard = "out/" + std::string(kFirst);
    Move(shard);
    Move("out/train-00000-of-00003.idx");
    Move(SidecarName(shard));
    Move(EntryPointName(SidecarName(shard)));
  }
  // All files but the lock, which may be there or not, and temporary files,
  // which go at once.
  Snapshot Contents() {
    Snapshot all = TakeSnapshot(storage, "out");
    std::erase_if(all, [](const auto& file) {
      return file.first == ".pack/lock" ||
             IsTemporaryName(FileNameOf(file.first));
    });
    return all;
  }

  MemoryStorage storage;
  PackOptions options;
};

TEST_CASE_METHOD(World, "Notes that are none remove nothing",
                 "[pack][leftovers]") {
  KillBeforeTheLastManifest();
  for (const std::string folder : {"out/", "out/sz/24/"}) {
    storage.Put(folder + kStray, "theirs");
    storage.Put(folder + "train-00000-of-00009.idx", "theirs");
  }
  storage.Put("out/.pack/" + std::string(kStray) + ".notes", "x");
  CheckDone();
  for (const std::string folder : {"out/", "out/sz/24/"}) {
    CHECK(*storage.Get(folder + kStray) == "theirs");
    CHECK(*storage.Get(folder + "train-00000-of-00009.idx") == "theirs");
  }
}

TEST_CASE_METHOD(World, "Notes under a made-up name remove nothing",
                 "[pack][leftovers]") {
  KillBeforeTheLastManifest();
  const std::string stray = "out/" + std::string(kStray);
  const std::string complete = "out/sz/24/" + std::string(kStray);
  const bool whole = GENERATE(false, true);
  for (const std::string folder : {"out", "out/sz/24"}) {
    if (whole) {
      PutOther(folder, kStray);
    } else {
      storage.Put(folder + "/" + kStray, "theirs");
    }
  }
  const std::string theirs = *storage.Get(complete);
  storage.Put("out/.pack/" + std::string(kStray) + ".notes",
              *storage.Get("out/.pack/" + std::string(kFirst) + ".notes"));
  CheckRefused(whole ? SidecarName(stray) : stray);
  Move(stray);
  if (whole) Move(SidecarName(stray));
  CheckDone();
  // One that is complete holds nothing of an earlier plan.
  CHECK(*storage.Get(complete) == theirs);
}

TEST_CASE_METHOD(World, "A file without a sidecar of ours stays",
                 "[pack][leftovers]") {
  KillBefore("out/" + std::string(kLast));
  const std::string shard = "out/" + std::string(kFirst);
  const std::string sidecar = SidecarName(shard);
  SECTION("no sidecar") {
    Move(sidecar);
    CheckRefused(shard);
    Move(shard);
    CheckRefused("out/train-00000-of-00003.idx");
    Move("out/train-00000-of-00003.idx");
    CheckRefused(EntryPointName(sidecar));
    Move(EntryPointName(sidecar));
  }
  SECTION("a damaged sidecar") {
    std::string damaged = *storage.Get(sidecar);
    damaged[20] = static_cast<char>(damaged[20] ^ 1);
    storage.Put(sidecar, damaged);
    CheckRefused(sidecar);
    MoveFirst();
  }
  SECTION("that of another pack") {
    PutOther("out", kFirst);
    CheckRefused(sidecar);
    MoveFirst();
  }
  SECTION("that of a shard which was indexed where it lay") {
    IndexOptions index;
    index.files = {shard};
    index.output = "index";
    REQUIRE(IndexShards(index, {.storage = &storage}).ok());
    storage.Put(sidecar,
                *storage.Get(SidecarName("index/" + std::string(kFirst))));
    CheckRefused(sidecar);
    MoveFirst();
  }
  SECTION("other contents") {
    storage.Put(shard, GENERATE(as<std::string>(), "theirs", ""));
    CheckRefused(shard);
    MoveFirst();
  }
  SECTION("a folder") {
    Move(shard);
    REQUIRE(storage.CreateDirectories(shard).ok());
    CheckRefused(shard);
    REQUIRE(storage.Remove(shard).ok());
    CheckRefused("out/train-00000-of-00003.idx");
    Move("out/train-00000-of-00003.idx");
  }
  SECTION("beside it, as older versions had it") {
    storage.Put("tree/class0/0.jpg", *storage.Get("tree/class0/1.jpg"));
    storage.Put(shard + ".sdx", "theirs");
    CheckRefused(shard + ".sdx");
    Move(shard + ".sdx");
  }
  CheckDone();
}

TEST_CASE_METHOD(World, "Bytes decide where a shard of the same size is to go",
                 "[pack][leftovers]") {
  KillBefore("out/" + std::string(kLast));
  const std::string shard = "out/" + std::string(kFirst);
  // Its first sample has changed by now, so that the shard has to go.
  storage.Put("tree/class0/0.jpg", *storage.Get("tree/class0/1.jpg"));
  const std::string ours = *storage.Get(shard);
  storage.Put(shard, std::string(ours.size(), 'x'));
  CheckRefused(shard);
  storage.Put(shard, ours);
  CheckDone();
}

TEST_CASE_METHOD(World, "An index of other records is none of a shard's",
                 "[pack][leftovers]") {
  KillBefore("out/" + std::string(kLast));
  const std::string index = "out/train-00000-of-00003.idx";
  storage.Put("tree/class0/0.jpg", *storage.Get("tree/class0/1.jpg"));
  storage.Put(index, "0\t0\n");
  CheckRefused(index);
  Move(index);
  CheckDone();
}

TEST_CASE_METHOD(World, "Entry points of another shard are none of ours",
                 "[pack][leftovers]") {
  options.entry_points = EntryPoints::kAuto;
  KillBefore("out/" + std::string(kLast));
  const std::string points =
      EntryPointName(SidecarName("out/" + std::string(kFirst)));
  REQUIRE(storage.Stat(points).ok());
  storage.Put("tree/class0/0.jpg", *storage.Get("tree/class0/1.jpg"));
  const std::string ours = *storage.Get(points);
  storage.Put(points, "theirs");
  CheckRefused(points);
  storage.Put(points, ours);
  CheckDone();
}

TEST_CASE_METHOD(World, "A manifest stays where its shards cannot be removed",
                 "[pack][leftovers]") {
  KillBeforeTheLastManifest();
  const std::string shard = "out/sz/24/" + std::string(kLast);
  const std::string ours = *storage.Get(shard);
  storage.Put(shard, "theirs");
  const Snapshot before = Contents();
  const Status refused = PackAgain();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == shard);
  CHECK(Contents() == before);
  // The shard of an outdated size is refused, too.
  storage.Put("tree/class0/0.jpg", *storage.Get("tree/class0/1.jpg"));
  CheckRefused(shard);
  storage.Put(shard, ours);
  CheckDone();
}

TEST_CASE_METHOD(World, "Nothing is removed before all is compared",
                 "[pack][leftovers]") {
  KillBefore("out/shardine.json");
  for (const char* name : {"0", "1", "2"}) {
    const std::string source = "tree/class" + std::string(name) + "/0.jpg";
    storage.Put(source, *storage.Get("tree/class0/1.jpg"));
  }
  storage.Put("out/" + std::string(kLast), "theirs");
  CheckRefused("out/" + std::string(kLast));
}

TEST_CASE_METHOD(World, "Shards of all formats are known as ours",
                 "[pack][leftovers]") {
  options.format = GENERATE(as<std::string>(), "recordio", "tfrecord",
                            "webdataset", "lmdb", "lmdb/datum:dir=yes", "hdf5");
  INFO(options.format);
  KillBeforeTheLastManifest();
  // All shards have to go, and so do the manifests of the sizes.
  storage.Put("tree/class0/00.jpg", *storage.Get("tree/class0/0.jpg"));
  CheckDone();
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole"));
}

// Beside each manifest of "out" stand all files that it was written with: those
// that `begun` has there, or `whole`.
void CheckManifests(MemoryStorage& storage, const Snapshot& begun,
                    const Snapshot& whole) {
  const Snapshot found = TakeSnapshot(storage, "out");
  for (const auto& [path, manifest] : found) {
    if (FileNameOf(path) != "shardine.json") continue;
    INFO(path);
    const auto earlier = begun.find(path);
    const bool is_earlier =
        earlier != begun.end() && earlier->second == manifest;
    for (const auto& [name, contents] : is_earlier ? begun : whole) {
      if (DirectoryOf(name) != DirectoryOf(path)) continue;
      INFO(name);
      const auto there = found.find(name);
      CHECK((there != found.end() && there->second == contents));
    }
  }
}

TEST_CASE_METHOD(World, "Clearing away for another plan can be killed anywhere",
                 "[pack][leftovers][killed][one_thread]") {
  options.shards = 0;
  options.shard_bytes = 9'000;
  storage.Put("tree/class2/8.jpg", *storage.Get("tree/class2/3.jpg"));
  KillBeforeTheLastManifest();
  const Snapshot begun = TakeSnapshot(storage, "out");
  // Fewer shards, all unlike those before.
  for (const char* gone : {"class0/0", "class0/1", "class2/8", "class2/3"}) {
    REQUIRE(storage.Remove("tree/" + std::string(gone) + ".jpg").ok());
  }
  PackOptions undisturbed = options;
  undisturbed.output = "whole";
  REQUIRE(Pack(undisturbed, {.storage = &storage}).ok());
  const Snapshot whole = TakeSnapshot(storage, "whole");
  REQUIRE(whole.size() < begun.size());
  const bool power = GENERATE(false, true);
  bool struck = true;
  for (std::uint64_t call = 0; struck; call += kSweepStep) {
    MemoryStorage copy;
    for (const auto& [name, contents] : TakeSnapshot(storage, "tree")) {
      copy.Put("tree/" + name, contents);
    }
    for (const auto& [name, contents] : begun) {
      copy.Put("out/" + name, contents);
    }
    FaultStorage killed(copy, {.call = call, .effect = Fault::Effect::kCrash});
    (void)Pack(options, {.storage = &killed});
    struck = killed.struck();
    if (power) copy.LosePower();
    INFO("killed at call " << call);
    CheckManifests(copy, begun, whole);
    REQUIRE(Pack(options, {.storage = &copy}).status().ToString() == "OK");
    REQUIRE(TakeSnapshot(copy, "out") == whole);
  }
}

}  // namespace
}  // namespace shardine::leftovers_test
