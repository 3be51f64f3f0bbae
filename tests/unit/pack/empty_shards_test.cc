// Shards without samples, as TensorFlow writes them: files of no bytes.
#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "dataset/sample_source.h"
#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"

namespace shardine::empty_shards_test {
namespace {

using Paths = std::vector<std::string>;

// Twelve samples of three classes in one file of that layout.
std::string FilledShard(MemoryStorage& storage, const std::string& format) {
  PutTree(storage, "tree", 3, 4, 900);
  PackOptions options = PackOf("tree", "in");
  options.format = format;
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
  return *storage.Get("in/train-00000-of-00001.tfrecord");
}

Result<PackResult> Index(Storage& storage, const Paths& files,
                         const std::string& output) {
  IndexOptions options;
  options.files = files;
  options.output = output;
  return IndexShards(options, {.storage = &storage});
}

void CheckSound(Storage& storage, const std::string& target,
                std::uint64_t samples) {
  VerifyOptions options;
  options.target = target;
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->findings.empty());
  CHECK(result->samples == samples);
}

std::uint64_t Converted(Storage& storage, const std::string& input,
                        const std::string& output) {
  ConvertOptions options;
  options.input = input;
  options.output = output;
  const auto result = Convert(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return result->samples;
}

TEST_CASE("Empty TFRecord shards are indexed, verified and converted",
          "[index][convert]") {
  const std::vector<Paths> sets = {
      {"x0.tfrecord", "x1.tfrecord", "x2.tfrecord"},
      {"x.tfrecord-00000-of-00003", "x.tfrecord-00001-of-00003",
       "x.tfrecord-00002-of-00003"},
      {"train-00000-of-00003", "train-00001-of-00003", "train-00002-of-00003"}};
  for (const char* layout : {"tfrecord/imagenet", "tfrecord/tfds"}) {
    MemoryStorage storage;
    const std::string filled = FilledShard(storage, layout);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (std::size_t full = 0; full < 3; ++full) {
        for (std::size_t i = 0; i < 3; ++i) {
          storage.Put(sets[set][i], i == full ? filled : "");
        }
        const std::string name = std::to_string(set) + std::to_string(full);
        INFO(layout << " " << name);
        const auto indexed = Index(storage, sets[set], name);
        REQUIRE(indexed.status().ToString() == "OK");
        CHECK(indexed->shards == 3);
        CHECK(indexed->samples == 12);
        CHECK(indexed->format.starts_with(layout));
        CheckSound(storage, name, 12);
        CHECK(Converted(storage, name, name + "c") == 12);
        CheckSound(storage, name + "c", 12);
      }
    }
  }
}

TEST_CASE("Empty shards that are opened without an index have no samples",
          "[index]") {
  MemoryStorage storage;
  storage.Put("train-00000-of-00002", "");
  storage.Put("train-00001-of-00002", FilledShard(storage, "tfrecord/tfds"));
  const auto source = SampleSource::OpenShards(
      storage, {"train-00000-of-00002", "train-00001-of-00002"}, {},
      BuiltinFormats());
  REQUIRE(source.status().ToString() == "OK");
  CHECK((*source)->size() == 12);
}

TEST_CASE("A merge takes a set of empty shards in any place", "[convert]") {
  MemoryStorage storage;
  FilledShard(storage, "tfrecord");
  storage.Put("x.tfrecord", "");
  REQUIRE(Index(storage, {"x.tfrecord"}, "none").ok());
  CheckSound(storage, "none", 0);
  CheckSound(storage, "x.tfrecord", 0);
  for (const Paths& inputs : {Paths{"none", "in"}, Paths{"in", "none"}}) {
    MergeOptions options;
    options.inputs = inputs;
    options.output = "of " + inputs[0];
    const auto merged = Merge(options, {.storage = &storage});
    REQUIRE(merged.status().ToString() == "OK");
    CHECK(merged->samples == 12);
    CHECK(merged->classes == 3);
    CheckSound(storage, options.output, 12);
  }
}

TEST_CASE("An empty file is no shard where nothing says so", "[index]") {
  MemoryStorage storage;
  const std::string filled = FilledShard(storage, "tfrecord");
  storage.Put("train-00000-of-00002", "");
  storage.Put("train-00001-of-00002", "");
  const Status alone =
      Index(storage, {"train-00000-of-00002", "train-00001-of-00002"}, "a")
          .status();
  CHECK(alone.code() == Code::kUnsupported);
  CHECK_THAT(alone.message(), Catch::Contains("is empty"));
  CHECK(alone.where().path == "train-00000-of-00002");
  storage.Put("x.tfrecord", filled);
  storage.Put("y.rec", "");
  const Status other = Index(storage, {"x.tfrecord", "y.rec"}, "b").status();
  CHECK(other.code() == Code::kInvalidArgument);
  CHECK(other.where().path == "y.rec");
  storage.Put("z.lmdb", "");
  const Status lmdb = Index(storage, {"x.tfrecord", "z.lmdb"}, "c").status();
  CHECK(lmdb.code() == Code::kUnsupported);
  CHECK_THAT(lmdb.message(), Catch::Contains("has bytes even without samples"));
}

}  // namespace
}  // namespace shardine::empty_shards_test
