#include "shardine/convert.h"

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shardine/diff.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "unit/pack/convert_fixture.h"

namespace shardine::convert_test {
namespace {

// "in": 60 samples of 4 classes in three shards, shuffled.
void PutDataset(MemoryStorage& storage, const std::string& output = "in") {
  PutTree(storage, "tree", 4, 15, 3000);
  const auto packed = Pack(PackOf("tree", output), {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
}

DiffResult DiffOf(Storage& storage, const std::string& a,
                  const std::string& b) {
  const auto result = Diff(a, b, [](const Difference&) { return Status(); },
                           {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return *result;
}

TEST_CASE("Convert keeps content, names, order, classes and shards",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto converted = Run(storage, Into("out"));
  REQUIRE(converted.status().ToString() == "OK");
  const Manifest in = ManifestOf(storage, "in");
  const Manifest out = ManifestOf(storage, "out");
  CHECK(converted->content_digest == in.content_digest());
  CHECK(out.content_digest() == in.content_digest());
  CHECK(out.names_digest() == in.names_digest());
  CHECK(out.order_digest() == in.order_digest());
  CHECK(out.classes == in.classes);
  CHECK(out.variant == in.variant);
  REQUIRE(out.splits[0].shards.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(out.splits[0].shards[i].samples == in.splits[0].shards[i].samples);
    // The same format: the very same records.
    CHECK(out.splits[0].shards[i].file == in.splits[0].shards[i].file);
  }
  CheckSound(storage, "out");
}

TEST_CASE("Convert passes on which bad images were kept knowingly",
          "[convert]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 5, 3000);  // none is an image
  PackOptions pack = PackOf("tree", "in");
  pack.check = ImageCheckLevel::kHeader;
  pack.on_bad = OnBad::kKeep;
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  const auto converted = Run(storage, Into("out"));
  REQUIRE(converted.status().ToString() == "OK");
  REQUIRE_FALSE(converted->rejected.empty());
  CHECK(ManifestOf(storage, "out").rejected ==
        ManifestOf(storage, "in").rejected);
  VerifyOptions deep;
  deep.target = "out";
  deep.level = VerifyLevel::kDeep;
  const auto verified = Verify(deep, {.storage = &storage});
  REQUIRE(verified.ok());
  CHECK(verified->findings.empty());

  MergeOptions merge;
  merge.inputs = {"in", "out"};
  merge.output = "both";
  merge.key_prefix = "{name}/";
  REQUIRE(Merge(merge, {.storage = &storage}).ok());
  deep.target = "both";
  const auto of_both = Verify(deep, {.storage = &storage});
  REQUIRE(of_both.ok());
  CHECK(of_both->findings.empty());
}

TEST_CASE("Convert cuts new shards by count or by size", "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = Into("count");
  options.shards = 7;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK(ManifestOf(storage, "count").splits[0].shards.size() == 7);
  options = Into("size");
  options.shard_bytes = 20'000;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK(ManifestOf(storage, "size").splits[0].shards.size() > 3);
  for (const char* name : {"count", "size"}) {
    CHECK(DiffOf(storage, "in", name).equal());
    CHECK(DiffOf(storage, "in", name).notes.empty());
    CheckSound(storage, name);
  }
}

TEST_CASE("Convert reshuffles by seed and never loses a sample", "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = Into("a");
  options.reshuffle = 1;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  options.output = "b";
  options.threads = 7;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK((TakeSnapshot(storage, "a") == TakeSnapshot(storage, "b")));
  options.output = "c";
  options.reshuffle = 2;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK(ManifestOf(storage, "a").order_digest() !=
        ManifestOf(storage, "c").order_digest());
  const DiffResult diff = DiffOf(storage, "in", "c");
  CHECK(diff.equal());
  CHECK(diff.same == 60);
  CHECK(diff.notes == std::vector<std::string>{"the order differs"});
}

TEST_CASE("Convert gives the same bytes for any number of threads",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  std::vector<Snapshot> outputs;
  for (const unsigned threads : {1u, 2u, 7u}) {
    ConvertOptions options = Into("out" + std::to_string(threads));
    options.shards = 4;
    options.threads = threads;
    REQUIRE(Run(storage, options).status().ToString() == "OK");
    outputs.push_back(TakeSnapshot(storage, options.output));
  }
  CHECK((outputs[0] == outputs[1]));
  CHECK((outputs[0] == outputs[2]));
}

TEST_CASE("Convert goes on where a failure ended it, to the same bytes",
          "[convert]") {
  MemoryStorage whole;
  PutDataset(whole);
  REQUIRE(Run(whole, Into("out")).ok());
  const Snapshot expected = TakeSnapshot(whole, "out");
  for (std::uint64_t call = 40; call < 400; call += 23) {
    MemoryStorage below;
    PutDataset(below);
    FaultStorage storage(below, {.call = call});
    const auto failed = Run(storage, Into("out"));
    // The lock goes last; the dataset is there by then.
    if (storage.struck() && failed.ok()) {
      CHECK(below.Stat("out/shardine.json").ok());
    }
    REQUIRE(Run(below, Into("out")).status().ToString() == "OK");
    CHECK((TakeSnapshot(below, "out") == expected));
  }
}

TEST_CASE("Convert of a complete output does nothing, of another one refuses",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  REQUIRE(Run(storage, Into("out")).ok());
  const auto again = Run(storage, Into("out"));
  REQUIRE(again.ok());
  CHECK(again->nothing_to_do);
  ConvertOptions other = Into("out");
  other.reshuffle = 3;
  CHECK(Run(storage, other).status().code() == Code::kChanged);
  CHECK(Run(storage, Into("in")).status().code() == Code::kChanged);
}

TEST_CASE("Convert names the damaged sample of its input and makes no dataset",
          "[convert][corruption]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto dataset = DatasetReader::Open(storage, "in");
  REQUIRE(dataset.ok());
  const auto& ref = (*dataset)->shards()[1];
  const auto index = (*dataset)->OpenIndex(ref);
  const auto entry = (*index)->Entry(5);
  REQUIRE(entry.ok());
  REQUIRE(PayloadBytes(*entry) > 0);
  const std::string path = (*dataset)->ShardPath(ref);
  std::string bytes = *storage.Get(path);
  bytes[entry->fields[0].extents[0].offset] ^= 1;
  storage.Put(path, bytes);
  const Status status = Run(storage, Into("out")).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == path);
  CHECK(status.where().record == 5u);
  CHECK(status.where().key == *(*index)->Key(5));
  CHECK(ReadManifest(storage, "out").status().code() == Code::kNotFound);
}

TEST_CASE("Convert with strict refuses what only the sidecar would keep",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = Into("out");
  options.format = "recordio";
  const auto loose = Run(storage, options);
  REQUIRE(loose.ok());
  REQUIRE(loose->warnings.size() == 1);
  CHECK_THAT(loose->warnings[0], Catch::Contains("hold no keys"));
  options.output = "strict";
  options.strict = true;
  CHECK(Run(storage, options).status().code() == Code::kUnsupported);
}

TEST_CASE("Merge unites datasets, numbers ids anew and leaves them alone",
          "[convert][merge]") {
  MemoryStorage storage;
  PutDataset(storage);
  PutTree(storage, "more", 6, 5, 900);
  REQUIRE(Pack(PackOf("more", "in2"), {.storage = &storage}).ok());
  const Snapshot before = TakeSnapshot(storage, "in");
  const Snapshot before2 = TakeSnapshot(storage, "in2");
  MergeOptions options;
  options.inputs = {"in", "in2"};
  options.output = "out";
  const Status twice = Merge(options, {.storage = &storage}).status();
  CHECK(twice.code() == Code::kInvalidArgument);
  CHECK_THAT(twice.message(),
             Catch::Contains("names or numbers of their inputs"));
  CHECK(twice.where().key == "class0/0.jpg");
  options.key_prefix = "{name}/";
  const auto merged = Merge(options, {.storage = &storage});
  REQUIRE(merged.status().ToString() == "OK");
  CHECK(merged->samples == 90);
  CHECK(merged->classes == 6);
  const Manifest out = ManifestOf(storage, "out");
  Digest128 sum = ManifestOf(storage, "in").content_digest();
  sum += ManifestOf(storage, "in2").content_digest();
  CHECK(out.content_digest() == sum);
  CheckSound(storage, "out");
  const auto dataset = DatasetReader::Open(storage, "out");
  CHECK((*dataset)->FindKey("in/class3/2.jpg").ok());
  CHECK((*dataset)->FindKey("in2/class5/4.jpg").ok());
  CHECK((TakeSnapshot(storage, "in") == before));
  CHECK((TakeSnapshot(storage, "in2") == before2));
}

TEST_CASE("Merge numbers classes by name", "[convert][merge]") {
  MemoryStorage storage;
  storage.Put("t1/cat/1.jpg", "c1");
  storage.Put("t1/dog/1.jpg", "d1");
  storage.Put("t2/bee/1.jpg", "b");
  storage.Put("t2/dog/2.jpg", "d2");
  for (const char* name : {"1", "2"}) {
    REQUIRE(Pack(PackOf("t" + std::string(name), "in" + std::string(name)),
                 {.storage = &storage})
                .ok());
  }
  MergeOptions options;
  options.inputs = {"in1", "in2"};
  options.output = "out";
  REQUIRE(Merge(options, {.storage = &storage}).ok());
  const Manifest out = ManifestOf(storage, "out");
  const ClassMap expected = {{"bee", 0, 1}, {"cat", 1, 1}, {"dog", 2, 2}};
  CHECK((out.classes == expected));
  const auto dataset = DatasetReader::Open(storage, "out");
  const auto found = (*dataset)->FindKey("dog/2.jpg");
  REQUIRE(found.ok());
  const auto index = (*dataset)->OpenIndex(*found->shard);
  CHECK((*index)->Entry(found->record)->labels == std::vector<Label>{2});
}

TEST_CASE("Relabel changes the labels of a list and nothing else",
          "[convert][relabel]") {
  MemoryStorage storage;
  PutDataset(storage);
  storage.Put("ids.lst", "0\t3\tx\n22\t0\ty\n");
  storage.Put("keys.lst", "9\t3\tclass0/0.jpg\n8\t0\tclass1/2.jpg\n");
  for (const auto by : {MatchBy::kId, MatchBy::kKey}) {
    RelabelOptions options;
    options.input = "in";
    options.output = by == MatchBy::kId ? "a" : "b";
    options.list = by == MatchBy::kId ? "ids.lst" : "keys.lst";
    options.by = by;
    const auto done = Relabel(options, {.storage = &storage});
    REQUIRE(done.status().ToString() == "OK");
    CHECK_THAT(done->warnings.back(), Catch::Contains("58 of 60 samples"));
    const DiffResult diff = DiffOf(storage, "in", options.output);
    CHECK(diff.relabelled == 2);
    CHECK(diff.same == 58);
    CHECK_FALSE(diff.equal());
    CheckSound(storage, options.output);
  }
  CHECK(DiffOf(storage, "a", "b").equal());
}

TEST_CASE("Relabel refuses rows and labels that mean nothing",
          "[convert][relabel]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto relabel = [&](const std::string& list) {
    storage.Put("l.lst", list);
    RelabelOptions options;
    options.input = "in";
    options.output = "out";
    options.list = "l.lst";
    options.by = MatchBy::kId;
    return Relabel(options, {.storage = &storage}).status();
  };
  const Status row = relabel("0\t1\tx\n999\t1\ty\n");
  CHECK(row.code() == Code::kInvalidArgument);
  CHECK(row.message() ==
        "1 of the 2 rows of the list is of no sample, by their id, first line "
        "2, id 999");
  CHECK(relabel("0\t9\tx\n").code() == Code::kInvalidArgument);
  CHECK(relabel("0\t1\tx\n0\t2\tx\n").code() == Code::kCorrupt);
  CHECK(ReadManifest(storage, "out").status().code() == Code::kNotFound);
}

// semantics review 1 and field report B2.
TEST_CASE("Relabel goes by keys, and takes no label of another sample's row",
          "[convert][relabel]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto relabel = [&](const std::string& list) {
    storage.Put("l.lst", list);
    RelabelOptions options;
    options.input = "in";
    options.output = "out";
    options.list = "l.lst";
    return Relabel(options, {.storage = &storage}).status();
  };
  // Ids that fit, and keys of another dataset.
  const Status other = relabel("0\t1\tx/0.jpg\n1\t1\tx/1.jpg\n");
  CHECK(other.code() == Code::kInvalidArgument);
  CHECK(other.where().path == "l.lst");
  CHECK_THAT(
      other.message(),
      Catch::Contains("none of the 2 rows of the list is of one of the") &&
          Catch::Contains("by their key") &&
          Catch::Contains("2 samples have the id of a row with another "
                          "key"));
  CHECK(ReadManifest(storage, "out").status().code() == Code::kNotFound);
  // The list starts from a folder above.
  CHECK(relabel("0\t1\ttrain/class0/0.jpg\n").ToString() == "OK");
}

TEST_CASE("Diff tells added, removed, changed, relabelled and renamed apart",
          "[diff]") {
  MemoryStorage storage;
  const auto pack = [&](const std::string& tree, const std::string& output) {
    REQUIRE(Pack(PackOf(tree, output), {.storage = &storage}).ok());
  };
  for (const char* tree : {"t1/", "t2/"}) {
    const std::string t(tree);
    storage.Put(t + "a/same.jpg", "same");
    storage.Put(t + "b/other.jpg", "other");
  }
  storage.Put("t1/a/removed.jpg", "removed");
  storage.Put("t1/a/changed.jpg", "one");
  storage.Put("t1/a/old.jpg", "renamed");
  storage.Put("t2/b/added.jpg", "added");
  storage.Put("t2/a/changed.jpg", "two");
  storage.Put("t2/a/new.jpg", "renamed");
  pack("t1", "d1");
  pack("t2", "plain");
  storage.Put("l.lst", "1\t1\ta/same.jpg\n");
  RelabelOptions relabel;
  relabel.input = "plain";
  relabel.output = "d2";
  relabel.list = "l.lst";
  relabel.by = MatchBy::kKey;
  REQUIRE(Relabel(relabel, {.storage = &storage}).status().ToString() == "OK");
  std::vector<std::string> lines;
  const auto result =
      Diff("d1", "d2",
           [&](const Difference& difference) {
             lines.push_back(std::to_string(static_cast<int>(difference.kind)) +
                             std::string(difference.key) + ">" +
                             std::string(difference.other_key));
             return Status();
           },
           {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(lines == std::vector<std::string>{"2a/changed.jpg>", "3a/same.jpg>",
                                          "1a/removed.jpg>", "0b/added.jpg>",
                                          "4a/old.jpg>a/new.jpg"});
  CHECK(result->same == 1);
  CHECK_FALSE(result->equal());
}

}  // namespace
}  // namespace shardine::convert_test
