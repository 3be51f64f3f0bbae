// Datasets in place of several splits, and of files that name splits.

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "unit/hdf5/split_file.h"

namespace shardine::index_splits_test {
namespace {

Result<PackResult> IndexIn(Storage& storage, const IndexOptions& options) {
  return IndexShards(options, {.storage = &storage});
}

IndexOptions IndexOf(std::vector<std::string> files) {
  IndexOptions options;
  options.files = std::move(files);
  options.output = "index";
  return options;
}

Manifest ManifestIn(Storage& storage, const std::string& directory) {
  auto manifest = ReadManifest(storage, directory);
  REQUIRE(manifest.status().ToString() == "OK");
  return *std::move(manifest);
}

std::size_t CountFindings(Storage& storage, const std::string& target) {
  VerifyOptions options;
  options.target = target;
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return result->findings.size();
}

// "train 6, val 2".
std::string SplitsOf(const Manifest& manifest) {
  std::string text;
  for (const ManifestSplit& split : manifest.splits) {
    text += (text.empty() ? "" : ", ") + split.name + " " +
            std::to_string(split.samples);
  }
  return text;
}

const std::vector<SplitEntry> kThree = {
    {"train", 0, 6}, {"valid", 6, 8}, {"test", 8, 10}};

TEST_CASE("Index takes an HDF5 file for the one split that it names",
          "[index][split]") {
  MemoryStorage storage;
  storage.Put("x.h5", TenRows({{"val", 0, 10}}));
  REQUIRE(IndexIn(storage, IndexOf({"x.h5"})).status().ToString() == "OK");
  CHECK(SplitsOf(ManifestIn(storage, "index")) == "val 10");
  // The file's split has another name only where that was asked for.
  IndexOptions options = IndexOf({"x.h5"});
  options.split = "test";
  CHECK(IndexIn(storage, options).status().code() == Code::kChanged);
  options.output = "other";
  REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
  CHECK(SplitsOf(ManifestIn(storage, "other")) == "test 10");
  CHECK(IndexIn(storage, IndexOf({"x.h5"}))->nothing_to_do);
}

TEST_CASE("Index refuses a file of several splits until one is asked for",
          "[index][split]") {
  MemoryStorage storage;
  storage.Put("x.h5", TenRows(kThree));
  const Status refused = IndexIn(storage, IndexOf({"x.h5"})).status();
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(refused.where().path == "x.h5");
  CHECK_THAT(refused.message(),
             Catch::Contains("train (6 samples), valid (2 samples), test (2 "
                             "samples)"));
  CHECK_FALSE(storage.Stat("index").ok());

  IndexOptions options = IndexOf({"x.h5"});
  options.split = "vlaid";
  const Status unknown = IndexIn(storage, options).status();
  CHECK(unknown.code() == Code::kInvalidArgument);
  CHECK_THAT(unknown.message(), Catch::Contains("valid (2 samples)"));
  // Rows that are of no split are not taken for the one split's.
  storage.Put("y.h5", TenRows({{"train", 0, 9}}));
  CHECK(IndexIn(storage, IndexOf({"y.h5"})).status().code() ==
        Code::kInvalidArgument);
}

TEST_CASE(
    "Index of one split has its samples, says what it leaves, and passes "
    "every check",
    "[index][split]") {
  MemoryStorage storage;
  storage.Put("x.h5", TenRows(kThree));
  IndexOptions options = IndexOf({"x.h5"});
  options.split = "valid";
  const auto indexed = IndexIn(storage, options);
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(indexed->samples == 2);
  CHECK(indexed->format == "hdf5/fuel:split=valid");
  REQUIRE_FALSE(indexed->warnings.empty());
  bool said = false;
  for (const std::string& warning : indexed->warnings) {
    said =
        said || warning.find("only those 2 of its 10 samples") != warning.npos;
  }
  CHECK(said);
  CHECK(SplitsOf(ManifestIn(storage, "index")) == "valid 2");
  CHECK(CountFindings(storage, "index") == 0);
  const auto dataset = DatasetReader::Open(storage, "index");
  REQUIRE(dataset.ok());
  CHECK((*dataset)->FindKey("6.jpg").ok());
  CHECK((*dataset)->FindKey("5.jpg").status().code() == Code::kNotFound);
  CHECK(IndexIn(storage, options)->nothing_to_do);

  // The dataset may call it something else.
  options.output = "renamed";
  options.split = "val";
  options.format = "hdf5/fuel:split=valid";
  REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
  CHECK(SplitsOf(ManifestIn(storage, "renamed")) == "val 2");
  CHECK(CountFindings(storage, "renamed") == 0);
}

TEST_CASE("Groups of an HDF5 file called as splits are its splits",
          "[index][split]") {
  MemoryStorage storage;
  LibraryFile file;
  file.PutRows("train/n02", H5T_STD_U8LE, {"a", "b", "c"});
  file.PutRows("train/n01", H5T_STD_U8LE, {"d"});
  file.PutRows("val/n02", H5T_STD_U8LE, {"e", "f"});
  storage.Put("x.h5", file.Bytes());
  const Status refused = IndexIn(storage, IndexOf({"x.h5"})).status();
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK_THAT(refused.message(),
             Catch::Contains("train (4 samples), val (2 samples)"));
  IndexOptions options = IndexOf({"x.h5"});
  options.split = "val";
  const auto indexed = IndexIn(storage, options);
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(indexed->samples == 2);
  CHECK(SplitsOf(ManifestIn(storage, "index")) == "val 2");
  // A class has its number of the whole file.
  CHECK(ManifestIn(storage, "index").classes == ClassMap{{"n02", 1, 2, ""}});
  CHECK(CountFindings(storage, "index") == 0);
  options.output = "train";
  options.split = "train";
  REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
  CHECK(SplitsOf(ManifestIn(storage, "train")) == "train 4");
  options.split = "test";
  options.output = "no";
  CHECK_THAT(IndexIn(storage, options).status().message(),
             Catch::Contains("val (2 samples)"));

  // Groups of other names are nothing but groups.
  LibraryFile other;
  other.PutRows("train/n01", H5T_STD_U8LE, {"a"});
  other.PutRows("extra/n01", H5T_STD_U8LE, {"b"});
  storage.Put("y.h5", other.Bytes());
  options = IndexOf({"y.h5"});
  options.output = "y";
  REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
  CHECK(SplitsOf(ManifestIn(storage, "y")) == "train 2");
}

TEST_CASE("Splits of one file, each in a folder of its own, become one dataset",
          "[index][split][merge]") {
  MemoryStorage storage;
  storage.Put("x.h5", TenRows(kThree));
  MergeOptions merge;
  for (const SplitEntry& entry : kThree) {
    IndexOptions options = IndexOf({"x.h5"});
    options.output = "in/" + entry.split;
    options.split = entry.split;
    REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
    merge.inputs.push_back(options.output);
  }
  merge.output = "out";
  const auto merged = Merge(merge, {.storage = &storage});
  REQUIRE(merged.status().ToString() == "OK");
  const Manifest manifest = ManifestIn(storage, "out");
  CHECK(SplitsOf(manifest) == "test 2, train 6, valid 2");
  CHECK(manifest.format == "hdf5/fuel");
  CHECK(CountFindings(storage, "out") == 0);
  // Each shard says whose it is, so that all of it comes back by itself.
  IndexOptions again = IndexOf({});
  for (const SplitEntry& entry : kThree) {
    again.files.push_back("out/" + entry.split + "-00000-of-00001.h5");
  }
  again.output = "again";
  REQUIRE(IndexIn(storage, again).status().ToString() == "OK");
  const Manifest back = ManifestIn(storage, "again");
  CHECK(SplitsOf(back) == SplitsOf(manifest));
  CHECK(back.content_digest() == manifest.content_digest());
}

TEST_CASE("A split read from one file merges with a dataset that was packed",
          "[index][split][merge]") {
  MemoryStorage storage;
  storage.Put("x.h5", TenRows(kThree));
  IndexOptions options = IndexOf({"x.h5"});
  options.split = "valid";
  REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
  ConvertOptions convert;
  convert.input = "index";
  convert.output = "made";
  convert.format = "tfrecord";
  REQUIRE(Convert(convert, {.storage = &storage}).ok());
  MergeOptions merge;
  merge.inputs = {"index", "made"};
  merge.output = "both";
  merge.key_prefix = "{name}/";
  const auto merged = Merge(merge, {.storage = &storage});
  REQUIRE(merged.status().ToString() == "OK");
  CHECK(merged->format == "hdf5/fuel");
  CHECK(SplitsOf(ManifestIn(storage, "both")) == "valid 4");
  CHECK(CountFindings(storage, "both") == 0);
}

// "a.rec", "b.rec": shards of three classes, with labels and nothing else.
void PutShards(MemoryStorage& storage) {
  PutTree(storage, "tree", 3, 4, 700);
  PackOptions options = PackOf("tree", "packed");
  options.shards = 2;
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  for (const std::string name : {"a", "b"}) {
    storage.Put(
        name + ".rec",
        *storage.Get("packed/train-0000" + std::to_string(name == "b" ? 1 : 0) +
                     "-of-00002.rec"));
  }
}

TEST_CASE("Index makes one dataset of several splits in place",
          "[index][split]") {
  MemoryStorage storage;
  PutShards(storage);
  IndexOptions options = IndexOf({"b.rec", "a.rec"});
  options.splits = {"val", "train"};
  REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
  const Manifest manifest = ManifestIn(storage, "index");
  CHECK(SplitsOf(manifest) == "train 6, val 6");
  CHECK(manifest.splits[0].shards[0].file.path == "../a.rec");
  CHECK(manifest.splits[1].shards[0].file.path == "../b.rec");
  CHECK(manifest.made.sources ==
        std::vector<std::string>{"val=b.rec", "train=a.rec"});
  CHECK(CountFindings(storage, "index") == 0);
  CHECK(IndexIn(storage, options)->nothing_to_do);
  // Neither files that changed places nor files without names are the same.
  options.splits = {"train", "val"};
  CHECK(IndexIn(storage, options).status().code() == Code::kChanged);
  CHECK(IndexIn(storage, IndexOf({"b.rec", "a.rec"})).status().code() ==
        Code::kChanged);

  options.output = "other";
  options.splits = {"val"};
  CHECK(IndexIn(storage, options).status().code() == Code::kInvalidArgument);
  options.splits = {"val", "a/b"};
  CHECK(IndexIn(storage, options).status().code() == Code::kInvalidArgument);
  options.splits = {"val", "train"};
  options.split = "train";
  CHECK(IndexIn(storage, options).status().code() == Code::kInvalidArgument);
}

TEST_CASE("Index names classes as a file does", "[index][classes]") {
  MemoryStorage storage;
  PutShards(storage);
  IndexOptions options = IndexOf({"a.rec", "b.rec"});
  options.class_names = "names";
  for (const std::string text :
       {"zero\none\ntwo\nthree\n", "three 3\none\t1\ntwo 2\nzero 0\n",
        R"({"0": "zero", "2": "two", "1": ["one", "uno"], "3": "three"})",
        R"({"zero": 0, "one": 1, "two": 2, "three": 3})",
        R"( ["zero", "one", "two", "three"])"}) {
    INFO(text);
    storage.Put("names", text);
    REQUIRE(IndexIn(storage, options).status().ToString() == "OK");
    const Manifest manifest = ManifestIn(storage, "index");
    // A class without samples is one all the same.
    REQUIRE(manifest.classes.size() == 4);
    const char* const names[] = {"zero", "one", "two", "three"};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(manifest.classes[i].label == static_cast<std::int64_t>(i));
      CHECK(manifest.classes[i].name == names[i]);
      CHECK(manifest.classes[i].count == (i < 3 ? 4 : 0));
    }
    CHECK(CountFindings(storage, "index") == 0);
    CHECK(IndexIn(storage, options)->nothing_to_do);
    REQUIRE(storage.Remove("index/shardine.json").ok());
  }
}

TEST_CASE("Index refuses names that are not those of the labels",
          "[index][classes]") {
  MemoryStorage storage;
  PutShards(storage);
  IndexOptions options = IndexOf({"a.rec"});
  options.class_names = "names";
  storage.Put("names", "zero\none\n");
  const Status few = IndexIn(storage, options).status();
  CHECK(few.code() == Code::kInvalidArgument);
  CHECK(few.where().path == "names");
  CHECK_THAT(few.message(), Catch::Contains("names no class 2"));
  CHECK_FALSE(storage.Stat("index").ok());
  for (const std::string text :
       {"", "{}", "[]", "{", R"({"a": "b"})", R"({"0": 0.5})", R"([1])",
        R"(["a", "a"])", R"({"0": "a", "0": "b"})", R"({"0": "a", "1": "a"})",
        R"({"a": 0, "b": 0})", R"({"00": "a"})", R"({"0": ""})",
        R"({"0": ["a", "b", "c"]})", R"({"a": 18446744073709551615})",
        "a\na\n"}) {
    INFO(text);
    storage.Put("names", text);
    const Status status = IndexIn(storage, options).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "names");
  }
  REQUIRE(storage.Remove("names").ok());
  CHECK(IndexIn(storage, options).status().code() == Code::kNotFound);
}

TEST_CASE("Index says that records name their classes otherwise",
          "[index][classes]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 3, 700);
  PackOptions pack = PackOf("tree", "in");
  pack.format = "tfrecord";
  pack.shards = 1;
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  storage.Put("x.tfrecord", *storage.Get("in/train-00000-of-00001.tfrecord"));
  IndexOptions options = IndexOf({"x.tfrecord"});
  options.class_names = "names";
  storage.Put("names", "class0\nother\n");
  auto indexed = IndexIn(storage, options);
  REQUIRE(indexed.status().ToString() == "OK");
  REQUIRE(indexed->warnings.size() == 2);
  CHECK_THAT(indexed->warnings[0], Catch::Contains("its names are used"));
  CHECK_THAT(indexed->warnings[1], Catch::Contains("have no bytes"));
  CHECK(ManifestIn(storage, "index").classes[1].name == "other");
  REQUIRE(storage.Remove("index/shardine.json").ok());
  storage.Put("names", "class0\nclass1\n");
  indexed = IndexIn(storage, options);
  REQUIRE(indexed.status().ToString() == "OK");
  CHECK(indexed->warnings.size() == 1);
}

TEST_CASE("A val shard of ours says that it is val", "[index][split][pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 4, 700);
  PackOptions options = PackOf("tree", "out");
  options.format = "hdf5";
  options.source.folders = {{"val", "tree"}};
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
  const std::string shard = "out/val-00000-of-00001.h5";
  REQUIRE(IndexIn(storage, IndexOf({shard})).status().ToString() == "OK");
  CHECK(SplitsOf(ManifestIn(storage, "index")) == "val 8");
  // Where it is damaged the shard is written once more, as val, to find where.
  // Nobody looks at the comment of the attribute.
  std::string bytes = *storage.Get(shard);
  const std::string row = "valencoded_images";
  REQUIRE(bytes.find(row) != bytes.npos);
  const std::size_t comment = bytes.find(row) + row.size() + 3 * 8 + 1;
  REQUIRE(bytes[comment] == '.');
  bytes[comment] = ',';
  storage.Put(shard, bytes);
  VerifyOptions verify;
  verify.target = "out";
  const auto verified = Verify(verify, {.storage = &storage});
  REQUIRE(verified.status().ToString() == "OK");
  REQUIRE(verified->findings.size() == 1);
  CHECK(verified->findings[0].where().offset == comment);

  options.format = "hdf5/fuel:split=val";
  options.output = "no";
  const Status refused = Pack(options, {.storage = &storage}).status();
  CHECK(refused.code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::index_splits_test
