#include "shardine/reindex.h"

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::reindex_test {
namespace {

constexpr std::uint64_t kWithPoints = 7;  // of PutImages()
constexpr char kShard0[] = "out/train-00000-of-00003.rec";
const std::string kPoints0 = "out/.shardine/train-00000-of-00003.rec.sde";

struct World {
  World() { PutImages(storage, "tree"); }

  Snapshot Pack(EntryPoints entry_points) {
    PackOptions options = VariantsOf("tree", "out");
    options.entry_points = entry_points;
    const auto made = shardine::Pack(options, {.storage = &storage});
    REQUIRE(made.status().ToString() == "OK");
    return Now();
  }
  Result<ReindexResult> TryReindex(EntryPoints entry_points,
                                   const std::string& dataset = "out",
                                   std::stop_token stop = {}) {
    ReindexOptions options;
    options.dataset = dataset;
    options.entry_points = entry_points;
    options.threads = 2;
    return shardine::Reindex(options, {.stop = stop, .storage = &storage});
  }
  ReindexResult Reindex(EntryPoints entry_points,
                        const std::string& dataset = "out") {
    const auto result = TryReindex(entry_points, dataset);
    REQUIRE(result.status().ToString() == "OK");
    return *result;
  }
  ReindexResult Add() { return Reindex(EntryPoints::kAuto); }
  ReindexResult Remove() { return Reindex(EntryPoints::kNone); }
  Snapshot Now() { return TakeSnapshot(storage, "out"); }
  VerifyResult Verify(const std::string& target = "out") {
    VerifyOptions options;
    options.target = target;
    options.level = VerifyLevel::kDeep;
    const auto result = shardine::Verify(options, {.storage = &storage});
    REQUIRE(result.status().ToString() == "OK");
    return *result;
  }
  void CheckSound(const std::string& target = "out") {
    const VerifyResult result = Verify(target);
    for (const Status& finding : result.findings) {
      FAIL_CHECK(finding.ToString());
    }
    for (const std::string& note : result.notes) FAIL_CHECK(note);
  }

  MemoryStorage storage;
};

TEST_CASE_METHOD(World,
                 "Reindex takes away what a pack made, and makes it anew",
                 "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kAuto);
  const ReindexResult removed = Remove();
  REQUIRE(removed.datasets.size() == 3);
  for (const ReindexedDataset& dataset : removed.datasets) {
    CHECK(dataset.files_removed == 3);
    CHECK(dataset.files_written == 0);
    CHECK(dataset.entry_points == EntryPointCounts());
    CHECK(dataset.entry_point_bytes == 0);
  }
  for (const auto& [name, contents] : Now()) {
    CHECK_FALSE(name.ends_with(".sde"));
    if (!name.ends_with("shardine.json")) CHECK(contents == packed.at(name));
  }
  CheckSound();

  const ReindexResult added = Add();
  REQUIRE(added.datasets.size() == 3);
  CHECK(added.datasets[0].path == "out");
  CHECK(added.datasets[0].samples == kImages);
  CHECK(added.datasets[0].entry_points.images == kWithPoints);
  CHECK(added.datasets[1].path == "out/sz/16");
  CHECK(added.datasets[1].entry_points.images == kImages);
  CHECK(added.datasets[1].files_written == 3);
  CHECK(added.datasets[1].entry_point_bytes > 0);
  CHECK(added.datasets[1].shard_bytes > added.datasets[1].entry_points.images);
  CHECK(added.warnings.empty());
  CHECK(Now() == packed);
}

TEST_CASE_METHOD(World, "Reindex adds what a pack did without, and removes it",
                 "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kNone);
  Add();
  CHECK(Now().size() == packed.size() + 9);
  CheckSound();
  Remove();
  CHECK(Now() == packed);
}

TEST_CASE_METHOD(World, "Reindex has nothing to do a second time",
                 "[reindex]") {
  const EntryPoints wanted = GENERATE(EntryPoints::kAuto, EntryPoints::kNone);
  Pack(GENERATE(EntryPoints::kAuto, EntryPoints::kNone));
  const ReindexResult first = Reindex(wanted);
  const Snapshot before = Now();
  const ReindexResult second = Reindex(wanted);
  CHECK(Now() == before);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(second.datasets[i].files_written == 0);
    CHECK(second.datasets[i].files_removed == 0);
    CHECK(second.datasets[i].entry_points == first.datasets[i].entry_points);
    CHECK(second.datasets[i].entry_point_bytes ==
          first.datasets[i].entry_point_bytes);
  }
}

TEST_CASE_METHOD(World, "Reindex works on a dataset around foreign shards",
                 "[reindex]") {
  Pack(EntryPoints::kNone);
  storage.Put("rec/a.rec", *storage.Get(kShard0));
  storage.Put("rec/b.rec", *storage.Get("out/train-00001-of-00003.rec"));
  const Snapshot shards = TakeSnapshot(storage, "rec");
  IndexOptions index;
  index.files = {"rec/a.rec", "rec/b.rec"};
  index.output = "index";
  const auto indexed = IndexShards(index, {.storage = &storage});
  REQUIRE(indexed.status().ToString() == "OK");
  const Snapshot before = TakeSnapshot(storage, "index");
  const ReindexResult added = Reindex(EntryPoints::kAuto, "index");
  REQUIRE(added.datasets.size() == 1);
  CHECK(added.datasets[0].files_written == 2);
  CHECK(added.datasets[0].entry_points.images > 0);
  CHECK(storage.Get("index/.shardine/a.rec.sde").ok());
  CHECK(TakeSnapshot(storage, "rec") == shards);
  CheckSound("index");
  Reindex(EntryPoints::kNone, "index");
  CHECK(TakeSnapshot(storage, "index") == before);
}

TEST_CASE_METHOD(World, "Reindex of a size alone leaves the others",
                 "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kAuto);
  const ReindexResult removed = Reindex(EntryPoints::kNone, "out/sz/16");
  REQUIRE(removed.datasets.size() == 1);
  CHECK(removed.datasets[0].files_removed == 3);
  CHECK(Now().size() == packed.size() - 3);
  CheckSound();
}

TEST_CASE_METHOD(World, "Reindex warns of a variant that is gone",
                 "[reindex]") {
  Pack(EntryPoints::kNone);
  for (const auto& [name, contents] : TakeSnapshot(storage, "out/sz/16")) {
    REQUIRE(storage.Remove("out/sz/16/" + name).ok());
  }
  const ReindexResult added = Add();
  CHECK(added.datasets.size() == 2);
  REQUIRE(added.warnings.size() == 1);
  CHECK(added.warnings[0] == "the variant sz/16 is not there");
}

TEST_CASE_METHOD(World, "Reindex makes damaged and missing files anew",
                 "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kAuto);
  const std::string path = kPoints0;
  std::string contents = *storage.Get(path);
  SECTION("damaged points") {
    contents[0] ^= 1;
    storage.Put(path, contents);
  }
  SECTION("a damaged header") {
    contents[contents.size() - 5] ^= 1;
    storage.Put(path, contents);
  }
  SECTION("of another shard") {
    storage.Put(path,
                *storage.Get("out/.shardine/train-00001-of-00003.rec.sde"));
  }
  SECTION("gone") { REQUIRE(storage.Remove(path).ok()); }
  CHECK_FALSE(Verify().findings.empty());
  CHECK(Add().datasets[0].files_written == 1);
  CHECK(Now() == packed);
}

TEST_CASE_METHOD(World, "A file that the manifest does not list is a note",
                 "[reindex][verify]") {
  Pack(EntryPoints::kNone);
  const std::string path = kPoints0;
  storage.Put(path, "anything");
  const VerifyResult result = Verify();
  CHECK(result.findings.empty());
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0] ==
        ".shardine/train-00000-of-00003.rec.sde is not listed in the manifest");
  // It is not known to be ours.
  CHECK(Remove().datasets[0].files_removed == 0);
  CHECK(*storage.Get(path) == "anything");
}

TEST_CASE_METHOD(World, "Reindex names the record of a shard that is damaged",
                 "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kNone);
  std::string contents = *storage.Get(kShard0);
  contents[contents.size() / 2] ^= 1;
  storage.Put(kShard0, contents);
  const auto result = TryReindex(EntryPoints::kAuto);
  CHECK(result.status().code() == Code::kCorrupt);
  CHECK(result.status().where().path == kShard0);
  CHECK(result.status().where().record.has_value());
  CHECK(*storage.Get("out/shardine.json") == packed.at("shardine.json"));
  CHECK_FALSE(storage.Get(kPoints0).ok());
  CHECK_FALSE(storage.Stat("out/.pack").ok());
}

TEST_CASE_METHOD(World, "Reindex counts damaged images as the pack did",
                 "[reindex]") {
  const std::string whole = MakeJpeg({.width = 90, .height = 70});
  storage.Put("tree/class0/bad.jpg",
              whole.substr(0, whole.size() / 2) + "\xFF\xD9");
  PackOptions options = PackOf("tree", "out");
  options.check = GENERATE(ImageCheckLevel::kNone, ImageCheckLevel::kHeader,
                           ImageCheckLevel::kDecode);
  options.on_bad = OnBad::kKeep;
  REQUIRE(shardine::Pack(options, {.storage = &storage}).ok());
  const Snapshot packed = Now();
  Remove();
  const ReindexResult added = Add();
  CHECK(added.datasets[0].entry_points ==
        EntryPointCounts{.images = kWithPoints, .damaged = 1});
  CHECK(Now() == packed);
}

TEST_CASE_METHOD(World, "Reindex removes what a killed one left", "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kNone);
  for (const std::string& name :
       {TemporaryName("out/.shardine/train-00000-of-00003.rec.sde"),
        TemporaryName("out/shardine.json"), std::string("out/.pack/lock")}) {
    storage.Put(name, "left");
  }
  storage.Put("out/.mine.tmp", "left");
  Remove();
  Snapshot expected = packed;
  expected[".mine.tmp"] = "left";
  CHECK(Now() == expected);
}

TEST_CASE_METHOD(World, "Only one reindex works on a dataset at a time",
                 "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kNone);
  const std::string folder = GENERATE("out", "out/sz/24");
  const auto lock = FolderLock::Take(storage, folder);
  REQUIRE(lock.ok());
  const auto result = TryReindex(EntryPoints::kAuto);
  CHECK(result.status().code() == Code::kAlreadyExists);
  CHECK(result.status().where().path == folder);
  CHECK(storage.Stat(WorkPath(folder, "lock")).ok());
  for (const auto& [name, contents] : packed) {
    CHECK(*storage.Get("out/" + name) == contents);
  }
}

TEST_CASE_METHOD(World, "Reindex that is stopped leaves a sound dataset",
                 "[reindex]") {
  const Snapshot packed = Pack(EntryPoints::kNone);
  std::stop_source source;
  source.request_stop();
  const auto result = TryReindex(EntryPoints::kAuto, "out", source.get_token());
  CHECK(result.status().code() == Code::kCancelled);
  CHECK(Now() == packed);
}

TEST_CASE_METHOD(World, "Reindex says where there is no dataset", "[reindex]") {
  const Snapshot before = TakeSnapshot(storage, "");
  const std::string folder = GENERATE("tree", "absent");
  CHECK(TryReindex(EntryPoints::kAuto, folder).status().code() ==
        Code::kNotFound);
  CHECK_FALSE(storage.Stat(folder + "/.pack").ok());
}

}  // namespace
}  // namespace shardine::reindex_test
