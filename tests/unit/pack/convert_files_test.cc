// Shard files that are in no dataset, where a dataset could be given.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "support/dataset_checks.h"
#include "support/pack_fixture.h"
#include "unit/hdf5/split_file.h"
#include "unit/pack/convert_fixture.h"
#include "unit/webdataset/tar_bytes.h"

namespace shardine::convert_files_test {
namespace {

// The shards alone of a dataset in this format: "foreign/0.rec", ...
std::vector<std::string> PutForeign(MemoryStorage& storage,
                                    const std::string& format,
                                    const std::string& tree = "tree") {
  MemoryStorage scratch;
  PutTree(scratch, tree, 3, 7, 900);
  PackOptions pack = PackOf(tree, "packed");
  pack.format = format;
  REQUIRE(Pack(pack, {.storage = &scratch}).status().ToString() == "OK");
  std::vector<std::string> files;
  const Manifest manifest = ManifestOf(scratch, "packed");
  for (const ManifestShard& shard : manifest.splits[0].shards) {
    const std::string& name = shard.file.path;
    files.push_back("foreign/" + std::to_string(files.size()) +
                    name.substr(name.rfind('.')));
    storage.Put(files.back(), *scratch.Get("packed/" + name));
  }
  return files;
}

ConvertOptions OfFiles(std::vector<std::string> files) {
  ConvertOptions options;
  options.files = std::move(files);
  options.output = "out";
  options.format = "recordio";
  options.threads = 2;
  return options;
}

TEST_CASE("Files of every format are converted as if they had been indexed",
          "[convert][files]") {
  for (const char* format :
       {"recordio", "tfrecord", "lmdb", "hdf5", "webdataset"}) {
    INFO(format);
    MemoryStorage storage;
    const auto files = PutForeign(storage, format);
    const Snapshot before = TakeSnapshot(storage, "foreign");
    const auto converted = Run(storage, OfFiles(files));
    REQUIRE(converted.status().ToString() == "OK");
    CHECK(converted->samples == 21);
    CHECK((TakeSnapshot(storage, "foreign") == before));
    CheckSound(storage, "out");
    CHECK(Run(storage, OfFiles(files))->nothing_to_do);

    IndexOptions index;
    index.files = files;
    index.output = "index";
    REQUIRE(IndexShards(index, {.storage = &storage}).ok());
    ConvertOptions indexed;
    indexed.input = "index";
    indexed.output = "other";
    indexed.format = "recordio";
    REQUIRE(Run(storage, indexed).ok());
    const Manifest ours = ManifestOf(storage, "out");
    const Manifest theirs = ManifestOf(storage, "other");
    CHECK(ours.splits == theirs.splits);
    CHECK(ours.classes == theirs.classes);
    CHECK(ours.made.sources == files);
  }
}

TEST_CASE("One file is given as a dataset is, several with their splits",
          "[convert][files]") {
  MemoryStorage storage;
  const auto files = PutForeign(storage, "webdataset");
  ConvertOptions options = OfFiles({});
  options.input = files[0];
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK(ManifestOf(storage, "out").samples() == 7);

  options = OfFiles(files);
  options.file_splits = {"train", "val", "train"};
  options.output = "splits";
  storage.Put("names", "one\ntwo\nthree\n");
  options.class_names = "names";
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  const Manifest manifest = ManifestOf(storage, "splits");
  REQUIRE(manifest.splits.size() == 2);
  CHECK(manifest.splits[0].samples == 14);
  CHECK(manifest.splits[1].samples == 7);
  CHECK(manifest.classes[2].name == "three");
  CHECK(manifest.made.sources[1] == "val=" + files[1]);
  // Chosen from and counted as any dataset.
  options.output = "val";
  options.splits = {"val"};
  options.limit = 2;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK(ManifestOf(storage, "val").samples() == 2);
}

TEST_CASE("Of a file of several splits that one is read that is asked for",
          "[convert][files]") {
  MemoryStorage storage;
  storage.Put("x.h5", TenRows({{"train", 0, 6}, {"valid", 6, 10}}));
  ConvertOptions options = OfFiles({"x.h5"});
  CHECK(Run(storage, options).status().code() == Code::kInvalidArgument);
  options.splits = {"valid"};
  const auto converted = Run(storage, options);
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(converted->samples == 4);
  CHECK(ManifestOf(storage, "out").splits[0].name == "valid");
  options.splits = {"test"};
  options.output = "no";
  CHECK(Run(storage, options).status().code() == Code::kInvalidArgument);
}

TEST_CASE("Shards of a dataset are not taken for files without one",
          "[convert][files]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 6, 900);
  REQUIRE(Pack(PackOf("tree", "in"), {.storage = &storage}).ok());
  const auto files = PutForeign(storage, "recordio");
  const auto fails = [&](const ConvertOptions& options) {
    const auto refused = Run(storage, options);
    CHECK_FALSE(refused.ok());
    CHECK_FALSE(storage.Stat("out").ok());
    return refused.status();
  };
  const Status part = fails(OfFiles({files[0], "in/train-00000-of-00003.rec"}));
  CHECK(part.where().path == "in/train-00000-of-00003.rec");
  CHECK(fails(OfFiles({files[0], "in"})).where().path == "in");
  CHECK(fails(OfFiles({files[0], "gone.rec"})).where().path == "gone.rec");
  ConvertOptions options = OfFiles({});
  options.input = "in";
  options.class_names = "names";
  CHECK(fails(options).code() == Code::kInvalidArgument);
  // A damaged file is named as it was given.
  std::string bytes = *storage.Get(files[1]);
  bytes.resize(bytes.size() - 3);
  storage.Put(files[1], bytes);
  CHECK(fails(OfFiles(files)).where().path == files[1]);
}

TEST_CASE("Merge takes LMDB files and tells any inputs apart by number",
          "[convert][files][merge]") {
  MemoryStorage storage;
  PutForeign(storage, "lmdb");
  storage.Put("a/set/data.mdb", *storage.Get("foreign/0.lmdb"));
  storage.Put("b/set/data.mdb", *storage.Get("foreign/1.lmdb"));
  MergeOptions options;
  options.inputs = {"a/set", "b/set"};
  options.output = "both";
  options.key_prefix = "{name}/";
  const Status twice = Merge(options, {.storage = &storage}).status();
  // The folders have one name, and the keys of both begin with it.
  CHECK(twice.code() == Code::kInvalidArgument);
  CHECK_THAT(twice.message(), Catch::Contains("numbers of their inputs"));
  options.key_prefix = "run{n}/{name}-";
  const auto merged = Merge(options, {.storage = &storage});
  REQUIRE(merged.status().ToString() == "OK");
  CHECK(merged->samples == 14);
  CHECK(merged->format == "lmdb/folder2lmdb:keys=%08d");
  CheckSound(storage, "both");
  const auto reader = DatasetReader::Open(storage, "both");
  REQUIRE(reader.ok());
  CHECK((*reader)->FindKey("run1/set-00000000").ok());
  CHECK(ManifestOf(storage, "both").made.options.at("prefix") ==
        options.key_prefix);
  CHECK_FALSE(storage.Stat("a/set/.shardine").ok());

  for (const char* wrong : {"{", "{number}/", "a{n"}) {
    options.key_prefix = wrong;
    options.output = "no";
    CHECK(Merge(options, {.storage = &storage}).status().code() ==
          Code::kInvalidArgument);
    CHECK_FALSE(storage.Stat("no").ok());
  }
}

TEST_CASE("A set in which no sample has an image is said to be one",
          "[index][files]") {
  MemoryStorage storage;
  LibraryFile file;
  file.Put("data", H5T_STD_U8LE, {2, 1, 2, 2}, std::string(8, 'x'));
  storage.Put("pictures.h5", file.Bytes());
  const auto warnings = [&](const std::string& path) {
    IndexOptions options;
    options.files = {path};
    options.output = "index-" + path;
    const auto indexed = IndexShards(options, {.storage = &storage});
    REQUIRE(indexed.status().ToString() == "OK");
    std::string text;
    for (const std::string& warning : indexed->warnings) text += warning + "\n";
    return text;
  };
  CHECK_THAT(warnings("pictures.h5"), !Catch::Contains("no sample has"));
  storage.Put("texts.tar", TarFile("a.txt", "1") + TarFile("a.wav", "2") +
                               TarFile("b.txt", "3") + kTarEnd);
  CHECK_THAT(warnings("texts.tar"),
             Catch::Contains("no sample has an image; their fields are "
                             "\"txt\", \"wav\"\n"));
  storage.Put("some.tar",
              TarFile("a.txt", "1") + TarFile("b.jpg", "2") + kTarEnd);
  CHECK_THAT(warnings("some.tar"), !Catch::Contains("no sample has"));
}

}  // namespace
}  // namespace shardine::convert_files_test
