// Packs of lists that name a path more than once: each line is a sample.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/draws.h"
#include "support/pack_fixture.h"

namespace shardine::pack_repeated_paths_test {
namespace {

struct Line {
  std::string path;
  std::int64_t label = 0;
};

// Lines by id: 40 lines over 12 files.
std::map<std::uint64_t, Line> DrawLines(std::uint32_t seed) {
  Draws draws(seed);
  std::map<std::uint64_t, Line> lines;
  while (lines.size() < 40) {
    const std::string path = "class" + std::to_string(draws.Below(3)) + "/" +
                             std::to_string(draws.Below(4)) + ".jpg";
    lines[draws.Below(1000)] = {path,
                                static_cast<std::int64_t>(draws.Below(9))};
  }
  return lines;
}

std::string TextOf(const std::map<std::uint64_t, Line>& lines) {
  std::string text;
  for (const auto& [id, line] : lines) {
    text += std::to_string(id) + "\t" + std::to_string(line.label) + "\t" +
            line.path + "\n";
  }
  return text;
}

PackOptions PackOfList(MemoryStorage& storage,
                       const std::map<std::uint64_t, Line>& lines) {
  PutTree(storage, "tree", 3, 4, 900);
  storage.Put("l.lst", TextOf(lines));
  PackOptions options = PackOf("tree", "out");
  options.source.list = "l.lst";
  return options;
}

// The payload of one field that is stored as it is.
std::string PayloadOf(const RandomAccessFile& file, const IndexEntry& entry) {
  std::string payload;
  for (const Extent& extent : entry.fields.at(0).extents) {
    ByteBuffer part;
    part.Resize(extent.length);
    REQUIRE(file.ReadExactly(extent.offset, part.span()).ok());
    payload += AsText(part.view());
  }
  return payload;
}

std::vector<Status> FindingsOf(Storage& storage, const std::string& list) {
  const auto result =
      Verify({.target = "out", .against = "tree", .list = list, .threads = 1},
             {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return result->findings;
}

TEST_CASE("Each line of a list is one sample with the bytes of its file",
          "[pack][list][property]") {
  const std::string format =
      GENERATE("recordio", "webdataset", "lmdb", "tfrecord");
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    INFO(format << " " << seed);
    MemoryStorage storage;
    auto lines = DrawLines(seed);
    PackOptions options = PackOfList(storage, lines);
    options.format = format;
    // Samples of one file lie in several splits.
    options.source.split_shares = {{"train", 0.5}, {"val", 0.5}};
    const auto packed = Pack(options, {.storage = &storage});
    REQUIRE(packed.status().ToString() == "OK");
    REQUIRE(packed->samples == 40);
    const auto dataset = DatasetReader::Open(storage, "out");
    REQUIRE(dataset.ok());
    std::set<std::string> keys;
    for (const auto& shard : (*dataset)->shards()) {
      const auto index = (*dataset)->OpenIndex(shard);
      const auto file = storage.Open((*dataset)->PathOf(shard.shard->file));
      REQUIRE((index.ok() && file.ok()));
      for (std::uint64_t r = 0; r < (*index)->size(); ++r) {
        const auto entry = (*index)->Entry(r);
        REQUIRE(entry.ok());
        const auto line = lines.extract(entry->id);
        REQUIRE_FALSE(line.empty());
        CHECK(entry->labels == std::vector<Label>{line.mapped().label});
        CHECK(PayloadOf(**file, *entry) ==
              *storage.Get("tree/" + line.mapped().path));
        CHECK(keys.insert(*(*index)->Key(r)).second);
      }
    }
    CHECK(lines.empty());
    CHECK(FindingsOf(storage, "l.lst").empty());
  }
}

TEST_CASE("A pack of a list with repeats goes on where it was stopped",
          "[pack][list]") {
  MemoryStorage undisturbed;
  const auto lines = DrawLines(1);
  const PackOptions options = PackOfList(undisturbed, lines);
  REQUIRE(Pack(options, {.storage = &undisturbed}).ok());
  MemoryStorage storage;
  PackOfList(storage, lines);
  REQUIRE(StopAfterFirstShard(storage, options).code() == Code::kCancelled);
  const auto again = Pack(options, {.storage = &storage});
  REQUIRE(again.ok());
  CHECK(again->shards_reused > 0);
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(undisturbed, "out"));
  CHECK(Pack(options, {.storage = &storage})->nothing_to_do);
}

TEST_CASE("Verify compares by the list that was packed", "[verify][list]") {
  MemoryStorage storage;
  const auto lines = DrawLines(2);
  REQUIRE(Pack(PackOfList(storage, lines), {.storage = &storage}).ok());
  std::map<std::string, std::size_t> counts;
  for (const auto& [id, line] : lines) ++counts[line.path];
  REQUIRE(FindingsOf(storage, "l.lst").empty());
  // Without the list a key is taken for a path, and keys with numbers are no
  // paths.
  const auto alone = FindingsOf(storage, "");
  CHECK(alone.size() == lines.size() - counts.size());
  for (const Status& finding : alone) {
    CHECK_THAT(finding.ToString(), Catch::Contains("has no such image"));
    CHECK_THAT(*finding.where().key, Catch::Contains("#"));
  }
  // All samples of a file that has changed, and no others.
  const std::string path = counts.begin()->first;
  storage.Put("tree/" + path, *storage.Get("tree/" + path) + "!");
  const auto changed = FindingsOf(storage, "l.lst");
  CHECK(changed.size() == counts.begin()->second);
  for (const Status& finding : changed) {
    CHECK(finding.message() == "differs from tree/" + path);
  }
}

TEST_CASE("Verify finds samples that the list does not name", "[verify]") {
  MemoryStorage storage;
  const std::map<std::uint64_t, Line> lines = {{1, {"class0/0.jpg", 0}},
                                               {2, {"class0/1.jpg", 0}},
                                               {3, {"class0/0.jpg", 0}}};
  REQUIRE(Pack(PackOfList(storage, lines), {.storage = &storage}).ok());
  storage.Put("short.lst", "1\t0\tclass0/0.jpg\n2\t0\tclass0/1.jpg\n");
  const auto findings = FindingsOf(storage, "short.lst");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message() == "the list names no such sample");
  CHECK(findings[0].where().key == "class0/0#2.jpg");
  storage.Put("long.lst", TextOf(lines) + "4\t0\tclass0/1.jpg\n");
  const auto noted = Verify(
      {.target = "out", .against = "tree", .list = "long.lst", .threads = 1},
      {.storage = &storage});
  REQUIRE(noted.ok());
  CHECK(noted->findings.empty());
  CHECK(noted->notes == std::vector<std::string>{
                            "images of long.lst that the dataset lacks: 1, "
                            "such as class0/1#2.jpg"});
}

TEST_CASE("Verify refuses a list without its folder", "[verify]") {
  MemoryStorage storage;
  CHECK(Verify({.target = "out", .against = "", .list = "l.lst"},
               {.storage = &storage})
            .status()
            .message() == "a list needs the folder that its paths are below");
  CHECK(Verify({.target = "out", .against = "tree", .list_root = "x"},
               {.storage = &storage})
            .status()
            .message() ==
        "a folder that a list's paths start from needs the list");
}

TEST_CASE("Verify says where it does not compare images with their files",
          "[verify]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 3, 4, 900);
  REQUIRE(Pack(PackOf("tree", "out"), {.storage = &storage}).ok());
  VerifyOptions options;
  options.target = "out";
  options.against = "tree";
  options.level = VerifyLevel::kQuick;
  const auto quick = Verify(options, {.storage = &storage});
  REQUIRE(quick.ok());
  CHECK(quick->notes ==
        std::vector<std::string>{"a quick check reads no images: none was "
                                 "compared with tree"});
  options.target = "out/train-00000-of-00003.rec";
  options.level = VerifyLevel::kFull;
  CHECK_THAT(Verify(options, {.storage = &storage}).status().ToString(),
             Catch::Contains("is one shard file, whose images are not"));
}

TEST_CASE("Every sample of a file has the boxes of its name", "[pack][list]") {
  MemoryStorage storage;
  PackOptions options = PackOfList(storage, {{1, {"class0/0.jpg", 0}},
                                             {2, {"class0/0.jpg", 1}},
                                             {3, {"class0/1.jpg", 0}}});
  storage.Put("boxes.csv", "0.jpg,0,0,0.5,1\n");
  options.source.bounding_boxes = "boxes.csv";
  options.format = "tfrecord";
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  const auto dataset = DatasetReader::Open(storage, "out");
  REQUIRE(dataset.ok());
  const auto index = (*dataset)->OpenIndex((*dataset)->shards().front());
  REQUIRE(index.ok());
  for (std::uint64_t r = 0; r < 3; ++r) {
    const auto entry = (*index)->Entry(r);
    REQUIRE(entry.ok());
    CHECK(entry->fields.size() == (entry->id == 3 ? 1u : 5u));
  }
}

}  // namespace
}  // namespace shardine::pack_repeated_paths_test
