#include "shardine/index.h"

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "dataset/manifest.h"
#include "pack/index_ids.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "source/list_file.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"

namespace shardine::index_test {
namespace {

Result<PackResult> IndexIn(Storage& storage, const IndexOptions& options) {
  return IndexShards(options, {.storage = &storage});
}

// "rec/a.rec", "rec/b.rec": the shards of a pack under other names, without
// anything of ours beside them.
PackResult PutForeignShards(MemoryStorage& storage, bool with_native_index) {
  PutTree(storage, "tree", 2, 6, 700);
  PackOptions options = PackOf("tree", "packed");
  options.shards = 2;
  const auto packed = Pack(options, {.storage = &storage});
  REQUIRE(packed.ok());
  for (const auto& [shard, name] :
       {std::pair{"0", "rec/a"}, std::pair{"1", "rec/b"}}) {
    const std::string stem =
        std::string("packed/train-0000") + shard + "-of-00002";
    storage.Put(std::string(name) + ".rec", *storage.Get(stem + ".rec"));
    if (with_native_index) {
      storage.Put(std::string(name) + ".idx", *storage.Get(stem + ".idx"));
    }
  }
  return *packed;
}

IndexOptions IndexBoth() {
  IndexOptions options;
  options.files = {"rec/a.rec", "rec/b.rec"};
  options.output = "index";
  return options;
}

std::size_t CountFindings(Storage& storage, const std::string& target) {
  VerifyOptions options;
  options.target = target;
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return result->findings.size();
}

TEST_CASE("Index makes a dataset around shards where they lie", "[index]") {
  MemoryStorage storage;
  const PackResult packed = PutForeignShards(storage, true);
  const Snapshot before = TakeSnapshot(storage, "rec");
  const auto indexed = IndexIn(storage, IndexBoth());
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(indexed->samples == 12);
  CHECK(indexed->shards == 2);
  REQUIRE(indexed->warnings.size() == 1);
  CHECK_THAT(indexed->warnings[0], Catch::Contains("have no bytes"));
  CHECK(indexed->content_digest == packed.content_digest);
  CHECK(TakeSnapshot(storage, "rec") == before);

  const auto manifest = ReadManifest(storage, "index");
  REQUIRE(manifest.ok());
  const ManifestShard& shard = manifest->splits.at(0).shards.at(0);
  CHECK(shard.file.path == "../rec/a.rec");
  REQUIRE(shard.companions.size() == 2);
  CHECK(shard.companions[0].path == "../rec/a.idx");
  CHECK(shard.companions[1].path == ".shardine/a.rec.sdx");
  CHECK(CountFindings(storage, "index") == 0);
  CHECK_FALSE(storage.Stat("index/.pack").ok());
}

TEST_CASE("Index takes keys and exact labels from the list beside a shard",
          "[index]") {
  MemoryStorage storage;
  storage.Put("tree/a.jpg", "one");
  storage.Put("tree/b.jpg", "two");
  storage.Put("in.lst", "5\t16777217\ta.jpg\n9\t0.1\tb.jpg\n");
  PackOptions pack = PackOf("tree", "packed");
  pack.source.list = "in.lst";
  pack.shards = 1;
  pack.lossy_labels = true;
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  storage.Put("rec/a.rec", *storage.Get("packed/train-00000-of-00001.rec"));
  storage.Put("rec/a.lst", *storage.Get("in.lst"));
  IndexOptions options;
  options.files = {"rec/a.rec"};
  options.output = "index";
  const auto indexed = IndexIn(storage, options);
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(indexed->warnings.empty());
  const auto dataset = DatasetReader::Open(storage, "index");
  REQUIRE(dataset.ok());
  const auto found = (*dataset)->FindKey("a.jpg");
  REQUIRE(found.ok());
  const auto index = (*dataset)->OpenIndex(*found->shard);
  REQUIRE(index.ok());
  const auto entry = (*index)->Entry(found->record);
  REQUIRE(entry.ok());
  CHECK(entry->id == 5);
  CHECK(entry->labels == std::vector<Label>{16777217});
  // Digests are over the exact labels, so the two datasets are the same.
  CHECK((*dataset)->manifest().content_digest() ==
        ReadManifest(storage, "packed")->content_digest());
  CHECK((*dataset)->manifest().names_digest() ==
        ReadManifest(storage, "packed")->names_digest());
  CHECK(CountFindings(storage, "index") == 0);
}

TEST_CASE("Index reports a list that disagrees with the shard", "[index]") {
  MemoryStorage storage;
  PutForeignShards(storage, false);
  std::string list;
  const std::vector<Label> other = {77};
  REQUIRE(AppendListLine(0, other, "renamed.jpg", list).ok());
  storage.Put("rec/a.lst", list);
  storage.Put("rec/b.lst", list);
  const auto indexed = IndexIn(storage, IndexBoth());
  REQUIRE(indexed.status().ToString() == "OK");
  bool not_listed = false;
  bool other_labels = false;
  for (const std::string& warning : indexed->warnings) {
    not_listed |= warning.find("not in the list") != std::string::npos;
    other_labels |= warning.find("other labels") != std::string::npos;
  }
  CHECK(not_listed);
  CHECK(other_labels);
  CHECK(CountFindings(storage, "index") == 0);
}

TEST_CASE("Index reports a native index that disagrees with the shard",
          "[index]") {
  MemoryStorage storage;
  PutForeignShards(storage, true);
  storage.Put("rec/a.idx", *storage.Get("rec/b.idx"));
  const auto indexed = IndexIn(storage, IndexBoth());
  REQUIRE(indexed.status().ToString() == "OK");
  REQUIRE(indexed->warnings.size() == 2);
  CHECK_THAT(indexed->warnings[0], Catch::Contains("rec/a.idx"));
  CHECK_THAT(indexed->warnings[1], Catch::Contains("have no bytes"));
}

TEST_CASE("Index numbers samples anew when ids are not unique", "[index]") {
  MemoryStorage storage;
  PutForeignShards(storage, false);
  storage.Put("rec/b.rec", *storage.Get("rec/a.rec"));
  const auto indexed = IndexIn(storage, IndexBoth());
  REQUIRE(indexed.status().ToString() == "OK");
  REQUIRE(indexed->warnings.size() == 2);
  CHECK_THAT(indexed->warnings[0], Catch::Contains("scan order"));
  CHECK_THAT(indexed->warnings[1], Catch::Contains("have no bytes"));
  const auto dataset = DatasetReader::Open(storage, "index");
  REQUIRE(dataset.ok());
  const auto index = (*dataset)->OpenIndex((*dataset)->shards()[1]);
  REQUIRE(index.ok());
  CHECK((*index)->Entry(0)->id == 6);
  CHECK(CountFindings(storage, "index") == 0);
}

TEST_CASE("Index refuses what it cannot index whole", "[index]") {
  MemoryStorage storage;
  PutForeignShards(storage, false);
  IndexOptions options = IndexBoth();
  SECTION("a damaged shard") {
    std::string contents = *storage.Get("rec/b.rec");
    contents.resize(contents.size() - 4);
    storage.Put("rec/b.rec", contents);
    const auto failed = IndexIn(storage, options);
    CHECK(failed.status().code() == Code::kCorrupt);
    CHECK(failed.status().where().path == "rec/b.rec");
    CHECK(failed.status().where().record.has_value());
  }
  SECTION("a file that is no shard") {
    storage.Put("rec/b.gif", "GIF89a");
    options.files[1] = "rec/b.gif";
    CHECK(IndexIn(storage, options).status().code() == Code::kUnsupported);
  }
  SECTION("an absent file") {
    options.files.push_back("rec/c.rec");
    CHECK(IndexIn(storage, options).status().code() == Code::kNotFound);
  }
  SECTION("a file twice") {
    options.files.push_back("rec/../rec/a.rec");
    CHECK(IndexIn(storage, options).status().code() == Code::kInvalidArgument);
  }
  CHECK_FALSE(storage.Stat("index/shardine.json").ok());
}

TEST_CASE("Index of a folder that holds its dataset has nothing to do",
          "[index]") {
  MemoryStorage storage;
  PutForeignShards(storage, false);
  const auto first = IndexIn(storage, IndexBoth());
  REQUIRE(first.ok());
  const Snapshot before = TakeSnapshot(storage, "index");
  // A kill after the manifest leaves this state.
  storage.Put("index/.pack/lock", "");
  storage.Put("index/.pack/a.rec.sdx", "provisional");
  const auto again = IndexIn(storage, IndexBoth());
  REQUIRE(again.status().ToString() == "OK");
  CHECK(again->nothing_to_do);
  CHECK(again->samples == first->samples);
  CHECK(again->content_digest == first->content_digest);
  CHECK(TakeSnapshot(storage, "index") == before);
  CHECK_FALSE(storage.Stat("index/.pack").ok());
}

TEST_CASE("Index replaces no file of somebody else", "[index]") {
  MemoryStorage storage;
  PutForeignShards(storage, false);
  REQUIRE(IndexIn(storage, IndexBoth()).ok());
  const Snapshot whole = TakeSnapshot(storage, "index");
  REQUIRE(storage.Remove("index/shardine.json").ok());
  // A kill before the manifest leaves this state.
  REQUIRE(IndexIn(storage, IndexBoth()).status().ToString() == "OK");
  CHECK(TakeSnapshot(storage, "index") == whole);

  REQUIRE(storage.Remove("index/shardine.json").ok());
  std::string contents;
  SECTION("that is no index") { contents = "my file"; }
  SECTION("that is an index of another shard") {
    storage.Put("rec/b.rec", *storage.Get("rec/a.rec"));
    contents = *storage.Get("index/.shardine/b.rec.sdx");
  }
  storage.Put("index/.shardine/b.rec.sdx", contents);
  const Status refused = IndexIn(storage, IndexBoth()).status();
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == "index/.shardine/b.rec.sdx");
  CHECK(*storage.Get("index/.shardine/b.rec.sdx") == contents);
}

TEST_CASE("Index takes over the indexes that a pack left (A3)",
          "[index][promise]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 6, 700);
  PackOptions pack = PackOf("tree", "packed");
  pack.shards = 2;
  const auto packed = Pack(pack, {.storage = &storage});
  REQUIRE(packed.ok());
  const auto before = ReadManifest(storage, "packed");
  REQUIRE(before.ok());
  REQUIRE(storage.Remove("packed/shardine.json").ok());
  const Snapshot left = TakeSnapshot(storage, "packed");
  IndexOptions options;
  options.files = {"packed/train-00000-of-00002.rec",
                   "packed/train-00001-of-00002.rec"};
  options.output = "packed";
  SECTION("of all shards") {
    REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
    const auto after = ReadManifest(storage, "packed");
    REQUIRE(after.ok());
    // Keys, ids, labels and contents are those of before.
    CHECK(after->binding_digest() == before->binding_digest());
    CHECK(after->names_digest() == before->names_digest());
    CHECK(after->classes == before->classes);
    CHECK(CountFindings(storage, "packed") == 0);
    REQUIRE(storage.Remove("packed/shardine.json").ok());
  }
  SECTION("and refuses a list beside them") {
    storage.Put("x.lst", "0\t1\ta.jpg\n");
    options.list = "x.lst";
    CHECK(IndexIn(storage, options).status().code() == Code::kAlreadyExists);
    REQUIRE(storage.Remove("x.lst").ok());
  }
  SECTION("and refuses a shard that has none among them") {
    storage.Put("packed/more.rec", left.at("train-00000-of-00002.rec"));
    options.files.push_back("packed/more.rec");
    CHECK(IndexIn(storage, options).status().code() == Code::kAlreadyExists);
    REQUIRE(storage.Remove("packed/more.rec").ok());
  }
  CHECK((TakeSnapshot(storage, "packed") == left));
}

TEST_CASE("Index overwrites no index that says other things (A3)",
          "[index][promise]") {
  MemoryStorage storage;
  PutForeignShards(storage, false);
  storage.Put("rec/a.lst", "0\t1\ta.jpg\n");
  REQUIRE(IndexIn(storage, IndexBoth()).ok());
  REQUIRE(storage.Remove("index/shardine.json").ok());
  REQUIRE(storage.Remove("rec/a.lst").ok());
  const Snapshot left = TakeSnapshot(storage, "index");
  const Status refused = IndexIn(storage, IndexBoth()).status();
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == "index/.shardine/a.rec.sdx");
  CHECK(TakeSnapshot(storage, "index").at(".shardine/a.rec.sdx") ==
        left.at(".shardine/a.rec.sdx"));
}

TEST_CASE("Index refuses a folder that holds another dataset", "[index]") {
  MemoryStorage storage;
  PutForeignShards(storage, false);
  REQUIRE(IndexIn(storage, IndexBoth()).ok());
  IndexOptions options = IndexBoth();
  SECTION("of other files") { options.files.pop_back(); }
  SECTION("of another split") { options.split = "val"; }
  SECTION("in another format") { options.format = "tfrecord/imagenet"; }
  SECTION("with a list") {
    storage.Put("x.lst", "0\t1\ta.jpg\n");
    options.list = "x.lst";
  }
  SECTION("of files that have grown") {
    storage.Put("rec/b.rec", *storage.Get("rec/b.rec") + "more");
  }
  CHECK(IndexIn(storage, options).status().code() == Code::kChanged);
}

TEST_CASE("An index killed at any call ends as an undisturbed one",
          "[index][corruption][one_thread]") {
  MemoryStorage whole;
  PutForeignShards(whole, true);
  FaultStorage counted(whole, {.call = UINT64_MAX});
  REQUIRE(IndexIn(counted, IndexBoth()).ok());
  const Snapshot expected = TakeSnapshot(whole, "index");
  const std::uint64_t calls = counted.calls(Operation::kAny);
  REQUIRE(calls > 50);
  for (std::uint64_t call = 0; call < calls; ++call) {
    INFO("killed at call " << call);
    MemoryStorage storage;
    PutForeignShards(storage, true);
    {
      FaultStorage faulty(storage,
                          {.call = call, .effect = Fault::Effect::kCrash});
      static_cast<void>(IndexIn(faulty, IndexBoth()).ok());
    }
    REQUIRE(IndexIn(storage, IndexBoth()).status().ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "index") == expected);
  }
}

TEST_CASE("ChooseIds prefers records, then native indexes, then scan order",
          "[index]") {
  ChosenIds chosen = ChooseIds({{{4, 2}, {0, 1}, 2}, {{3, 1}, {2, 3}, 2}});
  CHECK(chosen.ids[0] == std::vector<std::uint64_t>{4, 2});
  CHECK(chosen.warning.empty());
  chosen = ChooseIds({{{0, 0}, {7, 5}, 2}, {{0, 0}, {8, 6}, 2}});
  CHECK(chosen.ids[1] == std::vector<std::uint64_t>{8, 6});
  CHECK(chosen.warning.find("native index") != std::string::npos);
  chosen = ChooseIds({{{1, 2}, {}, 2}, {{2, 3}, {}, 2}});
  CHECK(chosen.ids[1] == std::vector<std::uint64_t>{2, 3});
  CHECK(chosen.list_ids[0].ids == std::vector<std::uint64_t>{1, 2});
  CHECK(chosen.warning.find("scan order") != std::string::npos);
}

TEST_CASE("ChooseIds gives a list positions only where there are no ids",
          "[index]") {
  using Ids = std::vector<std::uint64_t>;
  // Ids of both shards together are not unique.
  ChosenIds chosen =
      ChooseIds({{{1, 2}, {}, 2}, {{2, 3}, {}, 2}}, ListScope::kAllShards);
  CHECK(chosen.list_ids[0].ids.empty());
  CHECK_FALSE(chosen.list_ids[1].by_position);
  chosen = ChooseIds({{{7, 7}, {}, 2}});
  CHECK(chosen.list_ids[0].ids.empty());
  chosen = ChooseIds({{{}, {}, 2}, {{}, {}, 2}}, ListScope::kAllShards);
  CHECK(chosen.list_ids[1].ids == Ids{2, 3});
  CHECK(chosen.list_ids[1].by_position);
  chosen = ChooseIds({{{}, {}, 2}, {{}, {}, 2}});
  CHECK(chosen.list_ids[1].ids == Ids{0, 1});
}

}  // namespace
}  // namespace shardine::index_test
