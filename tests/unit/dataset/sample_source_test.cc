#include "dataset/sample_source.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <thread>

#include "base/checksum.h"
#include "base/permutation.h"
#include "shard/payload.h"
#include "shardine/pack.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::sample_source_test {
namespace {

void Pack(MemoryStorage& storage, const PackOptions& options) {
  const auto result = shardine::Pack(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
}

std::unique_ptr<SampleSource> Open(Storage& storage, const std::string& path,
                                   const DatasetOptions& options = {}) {
  auto source = SampleSource::Open(storage, path, options);
  REQUIRE(source.status().ToString() == "OK");
  return *std::move(source);
}

Status OpenStatus(Storage& storage, const std::string& path,
                  const DatasetOptions& options) {
  return SampleSource::Open(storage, path, options).status();
}

// Five classes of eight, packed from TREE in three shards.
struct Tree {
  Tree() { PutTree(storage, "tree", 5, 8, 900); }
  MemoryStorage storage;
};

TEST_CASE_METHOD(Tree, "SampleSource reads what was packed, in every format",
                 "[sample_source]") {
  const std::string format =
      GENERATE("recordio", "tfrecord", "lmdb", "hdf5", "webdataset");
  CAPTURE(format);
  PackOptions options = PackOf("tree", "out");
  options.format = format;
  Pack(storage, options);
  const auto source = Open(storage, "out");
  REQUIRE(source->size() == 40);
  CHECK(source->path() == "out");
  CHECK(source->split() == "train");
  CHECK(source->variant() == "original");
  CHECK(source->warnings().empty());
  REQUIRE(source->classes().size() == 5);
  CHECK(source->classes()[3].name == "class3");
  CHECK(source->classes()[3].label == 3);

  std::set<std::uint64_t> ids;
  Xxh3Stream order;
  SampleRead sample;
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    REQUIRE(source->Read(i, EntryPointUse::kRead, sample).ToString() == "OK");
    const std::uint64_t id = sample.entry.id;
    const std::string key = "class" + std::to_string(id / 8) + "/" +
                            std::to_string(id % 8) + ".jpg";
    const auto found = source->Key(i);
    REQUIRE(found.ok());
    CHECK(*found == key);
    CHECK(AsText(sample.payload) == *storage.Get("tree/" + key));
    CHECK(sample.entry.labels ==
          std::vector<Label>{static_cast<std::int64_t>(id / 8)});
    CHECK(sample.entry_points.size() == 0);
    ids.insert(id);
    order.UpdateLe(id);
  }
  CHECK(ids.size() == 40);
  CHECK(source->order_digest() == order.Digest());
}

TEST_CASE_METHOD(Tree, "SampleSource reads any sample into used memory",
                 "[sample_source]") {
  Pack(storage, PackOf("tree", "out"));
  const auto source = Open(storage, "out");
  const Permutation shuffle(source->size(), 3, "test");
  SampleRead used;
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    const std::uint64_t position = shuffle(i);
    SampleRead fresh;
    REQUIRE(source->Read(position, EntryPointUse::kSkip, fresh).ok());
    REQUIRE(source->Read(position, EntryPointUse::kSkip, used).ok());
    CHECK(used.entry == fresh.entry);
    CHECK(AsText(used.payload) == AsText(fresh.payload));
    const auto entry = source->Entry(position);
    REQUIRE(entry.ok());
    CHECK(*entry == fresh.entry);
  }
}

TEST_CASE_METHOD(Tree, "SampleSource gives ranges of entries across shards",
                 "[sample_source]") {
  Pack(storage, PackOf("tree", "out"));
  const auto source = Open(storage, "out");
  for (const auto& [first, count] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 40}, {5, 30}, {12, 2}, {13, 1}, {26, 14}, {40, 0}, {0, 0}}) {
    std::vector<IndexEntry> entries(3);
    REQUIRE(source->Entries(first, count, entries).ok());
    REQUIRE(entries.size() == count);
    for (std::uint64_t i = 0; i < count; ++i) {
      CHECK(entries[i] == *source->Entry(first + i));
    }
  }
}

TEST_CASE_METHOD(Tree, "SampleSource says where a sample is",
                 "[sample_source]") {
  Pack(storage, PackOf("tree", "out"));
  const auto source = Open(storage, "out");
  // 40 samples in three shards: from 0, 13 and 26 on.
  const Where where = source->WhereIs(27);
  CHECK(where.path == "out/train-00002-of-00003.rec");
  CHECK(where.record == 1);
  CHECK(where.key == *source->Key(27));
  CHECK(source->WhereIs(12).record == 12);
  CHECK(source->WhereIs(13).path == "out/train-00001-of-00003.rec");
}

TEST_CASE_METHOD(Tree, "SampleSource takes the only split, or the one named",
                 "[sample_source]") {
  PackOptions options = PackOf("tree", "out");
  options.source.folders = {{"train", "tree"}, {"val", "tree"}};
  Pack(storage, options);
  Status status = OpenStatus(storage, "out", {});
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.ToString() ==
        "out: there are several splits, name one of them: train, val");
  status = OpenStatus(storage, "out", {.split = "test"});
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.ToString() == "out: no split \"test\"; there are: train, val");

  const auto val = Open(storage, "out", {.split = "val"});
  CHECK(val->split() == "val");
  REQUIRE(val->size() == 40);
  std::set<std::uint64_t> ids;
  SampleRead sample;
  for (std::uint64_t i = 0; i < 40; ++i) {
    REQUIRE(val->Read(i, EntryPointUse::kSkip, sample).ok());
    ids.insert(sample.entry.id);
    CHECK(AsText(sample.payload) == *storage.Get("tree/" + *val->Key(i)));
  }
  CHECK(*ids.begin() == 40);  // numbering runs on through the splits
  CHECK(*ids.rbegin() == 79);
  CHECK(val->order_digest() !=
        Open(storage, "out", {.split = "train"})->order_digest());
}

TEST_CASE("SampleSource opens a variant by its name or by its folder",
          "[sample_source]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  Pack(storage, VariantsOf("tree", "out"));
  const auto original = Open(storage, "out");
  const auto named = Open(storage, "out", {.variant = "sz/16"});
  CHECK(named->path() == "out");
  CHECK(named->variant() == "sz/16");
  CHECK(named->order_digest() == original->order_digest());
  REQUIRE(named->size() == kImages);
  SampleRead sample;
  SampleRead large;
  for (std::uint64_t i = 0; i < kImages; ++i) {
    REQUIRE(named->Read(i, EntryPointUse::kSkip, sample).ok());
    REQUIRE(original->Read(i, EntryPointUse::kSkip, large).ok());
    const ImageFacts& facts = sample.entry.facts;
    CHECK(std::min(facts.width, facts.height) == 16);
    CHECK(sample.entry.id == large.entry.id);
  }
  for (const std::string variant : {"original", "sz/24"}) {
    const auto folder = Open(storage, "out/sz/24", {.variant = variant});
    CHECK(folder->variant() == "sz/24");
    CHECK(folder->size() == kImages);
  }
}

TEST_CASE("SampleSource lists the variants there are when one is not",
          "[sample_source]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  Pack(storage, VariantsOf("tree", "out"));
  Status status = OpenStatus(storage, "out", {.variant = "sz/160"});
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.ToString() ==
        "out: no variant \"sz/160\"; there are: original, sz/16, sz/24");
  status = OpenStatus(storage, "out", {.variant = "../out/sz/16"});
  CHECK(status.code() == Code::kNotFound);

  REQUIRE(storage.Remove("out/shardine.json").ok());
  status = OpenStatus(storage, "out", {});
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.message().ends_with(
      "but these variants lie below it: sz/16, sz/24"));
  status = OpenStatus(storage, "out", {.variant = "sz/8"});
  CHECK(status.ToString() ==
        "out: no variant \"sz/8\"; there are: sz/16, sz/24");
  CHECK(Open(storage, "out", {.variant = "sz/16"})->size() == kImages);

  status = OpenStatus(storage, "nowhere", {.variant = "sz/8"});
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.ToString() ==
        "nowhere: no variant \"sz/8\"; nor is there a dataset");
}

TEST_CASE("SampleSource reads entry points where they are wanted",
          "[sample_source]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  PackOptions options = PackOf("tree", "out");
  options.check = ImageCheckLevel::kHeader;
  Pack(storage, options);
  const auto source = Open(storage, "out");
  std::uint64_t with_points = 0;
  SampleRead sample;
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    REQUIRE(source->Read(i, EntryPointUse::kRead, sample).ok());
    with_points += sample.entry_points.size() > 0 ? 1 : 0;
    REQUIRE(source->Read(i, EntryPointUse::kSkip, sample).ok());
    CHECK(sample.entry_points.size() == 0);
  }
  CHECK(with_points > 0);
  CHECK(with_points < source->size());  // one is a PNG
}

TEST_CASE_METHOD(Tree, "A list overrides labels by id where that is asked for",
                 "[sample_source][label_override]") {
  Pack(storage, PackOf("tree", "out"));
  storage.Put("new.lst", "0\t100\tany\n39\t0.5\t2\tany\n");
  const auto source =
      Open(storage, "out", {.labels = "new.lst", .labels_by = MatchBy::kId});
  REQUIRE(source->warnings().size() == 2);
  SampleRead sample;
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    REQUIRE(source->Read(i, EntryPointUse::kSkip, sample).ok());
    const std::uint64_t id = sample.entry.id;
    std::vector<Label> expected = {static_cast<std::int64_t>(id / 8)};
    if (id == 0) expected = {100};
    if (id == 39) expected = {Label::FromReal(0.5), 2};
    CHECK(sample.entry.labels == expected);
    CHECK(source->Entry(i)->labels == expected);
  }
  CHECK(source->order_digest() == Open(storage, "out")->order_digest());
}

TEST_CASE_METHOD(Tree, "A list without ids overrides labels by key",
                 "[sample_source][label_override]") {
  Pack(storage, PackOf("tree", "out"));
  storage.Put("new.json", R"([{"path": "class1/3.jpg", "label": 100},
                              {"path": "class4/7.jpg", "labels": []}])");
  const auto source = Open(storage, "out", {.labels = "new.json"});
  REQUIRE(source->warnings().size() == 2);
  CHECK(source->warnings()[0] ==
        "new.json: 1 of 40 samples get a label that no class has, first 100");
  CHECK(source->warnings()[1] ==
        "new.json: 38 of 40 samples are not in the list and keep the labels "
        "they have");
  std::vector<IndexEntry> entries;
  REQUIRE(source->Entries(0, 40, entries).ok());
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    const std::uint64_t id = entries[i].id;
    std::vector<Label> expected = {static_cast<std::int64_t>(id / 8)};
    if (id == 11) expected = {100};
    if (id == 39) expected = {};
    CHECK(entries[i].labels == expected);
  }
  CHECK(OpenStatus(storage, "out", {.labels = "none.lst"}).code() ==
        Code::kNotFound);
}

// semantics review 1 and field report B2.
TEST_CASE_METHOD(Tree, "A list of labels that is of other samples is refused",
                 "[sample_source][label_override]") {
  Pack(storage, PackOf("tree", "out"));
  const auto refused = [&](const std::string& list, DatasetOptions options) {
    storage.Put("l.lst", list);
    options.labels = "l.lst";
    const Status status = OpenStatus(storage, "out", options);
    CHECK(status.code() == Code::kInvalidArgument);
    return status.message();
  };
  CHECK(refused("100\t7\tx/0.jpg\n", {}) ==
        "none of the 1 rows of the list is of one of the 40 samples, by their "
        "key");
  // Right ids, other paths.
  CHECK(refused("0\t7\tother/0.jpg\n3\t7\tother/1.jpg\n", {}) ==
        "none of the 2 rows of the list is of one of the 40 samples, by their "
        "key; 2 samples have the id of a row with another key");
  CHECK(
      refused("5\t7\tclass0/0.jpg\n7\t7\tclass9/1.jpg\n", {}) ==
      "1 of the 2 rows of the list is of no sample, by their key, first "
      "line 2, id 7, class9/1.jpg; 2 samples have the id of a row with another "
      "key");
  CHECK(refused("0\t7\tclass0/0.jpg\n", {.labels_for_all = true}) ==
        "39 of 40 samples are not in the list l.lst, first this one");
  CHECK(refused("41\t7\tany\n", {.labels_by = MatchBy::kPosition}) ==
        "none of the 1 rows of the list is of one of the 40 samples, by their "
        "position");
}

TEST_CASE_METHOD(Tree, "A list starts from any folder above or below the keys",
                 "[sample_source][label_override]") {
  Pack(storage, PackOf("tree", "out"));
  storage.Put("l.lst", "0\t7\t/data/tree/class0/0.jpg\n1\t8\t1.jpg\n");
  const auto source = Open(storage, "out", {.labels = "l.lst"});
  CHECK(source->warnings().size() == 2);
  std::uint64_t relabelled = 0;
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    const IndexEntry entry = *source->Entry(i);
    if (entry.id > 1) continue;
    CHECK(entry.labels == std::vector<Label>{entry.id == 0 ? 7 : 8});
    ++relabelled;
  }
  CHECK(relabelled == 2);
}

TEST_CASE("A list of several splits is good for each of them",
          "[sample_source][label_override]") {
  MemoryStorage storage;
  PutTree(storage, "a", 2, 3, 500);
  PutTree(storage, "b", 1, 2, 500);
  PackOptions options = PackOf("a", "out");
  options.source.folders = {{"train", "a"}, {"val", "b"}};
  Pack(storage, options);
  // class0/0.jpg is a sample of both.
  storage.Put("l.lst", "0\t5\tclass1/0.jpg\n");
  CHECK(Open(storage, "out", {.split = "val", .labels = "l.lst"})
            ->warnings()
            .size() == 1);
  storage.Put("l.lst", "0\t5\tclass0/0.jpg\n");
  const Status both =
      OpenStatus(storage, "out", {.split = "val", .labels = "l.lst"});
  CHECK(both.code() == Code::kInvalidArgument);
  CHECK(both.message() ==
        "several samples have the key of this row; their ids tell them apart");
  CHECK(OpenStatus(
            storage, "out",
            {.split = "train", .labels = "l.lst", .labels_by = MatchBy::kId})
            .ToString() == "OK");
}

TEST_CASE("SampleSource serves many threads from more shards than stay open",
          "[sample_source]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 6, 50, 500);
  PackOptions options = PackOf("tree", "out");
  options.shards = 100;
  Pack(storage, options);
  const auto source = Open(storage, "out");
  REQUIRE(source->size() == 300);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Permutation shuffle(source->size(), t, "test");
      SampleRead sample;
      for (std::uint64_t i = 0; i < source->size(); ++i) {
        const std::uint64_t position = shuffle(i);
        if (!source->Read(position, EntryPointUse::kRead, sample).ok() ||
            AsText(sample.payload) !=
                *storage.Get("tree/" + *source->Key(position))) {
          ++wrong;
        }
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace shardine::sample_source_test
