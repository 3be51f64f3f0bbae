#include "dataset/dataset_reader.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::dataset_reader_test {
namespace {

// A shard of back-to-back payloads, its sidecar and its manifest entry.
struct SyntheticShard {
  std::string name;
  std::vector<std::string> keys;
};

constexpr Digest128 kPlan = {77, 78};

std::string PayloadOf(const std::string& key) { return "jpeg of " + key; }

// Two bytes lie between neighbours.
ManifestShard PutShard(MemoryStorage& storage, const SyntheticShard& shard,
                       Digest128 plan = kPlan) {
  const std::string path = "out/" + shard.name;
  std::string contents;
  ShardIndexWriter writer;
  for (const std::string& key : shard.keys) {
    contents += "--";
    const std::string payload = PayloadOf(key);
    IndexEntry entry;
    entry.id = writer.size();
    entry.labels = {Label(1)};
    entry.fields = {{"image", "|S", {}, {{contents.size(), payload.size()}}}};
    entry.payload_crc = Crc32c(AsBytes(payload));
    writer.Add(entry, key);
    contents += payload;
  }
  storage.Put(path, contents);
  const Digest128 digest = Xxh3_128(AsBytes(contents));
  auto file = AtomicFile::Create(storage, path + ".sdx");
  REQUIRE(file.ok());
  REQUIRE(writer.WriteTo(*file, {contents.size(), digest, plan}).ok());
  REQUIRE(file->Publish().ok());
  const std::string sidecar = *storage.Get(path + ".sdx");
  return {.file = {shard.name, contents.size(), digest},
          .samples = shard.keys.size(),
          .companions = {{shard.name + ".sdx", sidecar.size(),
                          Xxh3_128(AsBytes(sidecar))}}};
}

void AddSplit(MemoryStorage& storage, Manifest& manifest,
              const std::string& name,
              const std::vector<SyntheticShard>& shards) {
  ManifestSplit split;
  split.name = name;
  for (const SyntheticShard& shard : shards) {
    split.shards.push_back(PutShard(storage, shard));
    split.samples += shard.keys.size();
  }
  manifest.splits.push_back(split);
}

// train: a b | c d e, val: v c.
Manifest PutDataset(MemoryStorage& storage) {
  REQUIRE(storage.CreateDirectories("out").ok());
  Manifest manifest;
  manifest.format = "recordio/mxnet";
  manifest.plan_digest = kPlan;
  AddSplit(storage, manifest, "train",
           {{"train-0.rec", {"a", "b"}}, {"train-1.rec", {"c", "d", "e"}}});
  AddSplit(storage, manifest, "val", {{"val-0.rec", {"v", "c"}}});
  REQUIRE(WriteManifest(storage, "out", manifest).ok());
  return manifest;
}

std::unique_ptr<DatasetReader> OpenDataset(Storage& storage) {
  auto dataset = DatasetReader::Open(storage, "out");
  REQUIRE(dataset.ok());
  return *std::move(dataset);
}

TEST_CASE("DatasetReader lists shards by split with their first positions",
          "[dataset]") {
  MemoryStorage storage;
  const Manifest manifest = PutDataset(storage);
  const auto dataset = OpenDataset(storage);
  CHECK(dataset->manifest() == manifest);
  CHECK(dataset->directory() == "out");
  const auto shards = dataset->shards();
  REQUIRE(shards.size() == 3);
  CHECK(shards[0].split->name == "train");
  CHECK(shards[0].first == 0);
  CHECK(shards[1].shard->file.path == "train-1.rec");
  CHECK(shards[1].first == 2);
  CHECK(shards[2].split->name == "val");
  CHECK(shards[2].first == 0);
  CHECK(dataset->ShardPath(shards[1]) == "out/train-1.rec");
  CHECK(dataset->PathOf(shards[1].shard->companions[0]) ==
        "out/train-1.rec.sdx");
}

TEST_CASE("DatasetReader opens the sidecar of each shard", "[dataset]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto dataset = OpenDataset(storage);
  for (const DatasetReader::ShardRef& ref : dataset->shards()) {
    const auto index = dataset->OpenIndex(ref);
    REQUIRE(index.ok());
    CHECK((*index)->size() == ref.shard->samples);
  }
}

TEST_CASE("DatasetReader refuses a sidecar that does not belong",
          "[dataset][corruption]") {
  MemoryStorage storage;
  Manifest manifest = PutDataset(storage);
  ManifestShard& shard = manifest.splits[0].shards[1];
  std::string why;
  SECTION("other bytes in the shard") {
    shard.file.bytes += 1;
    why = "other contents";
  }
  SECTION("another shard of the same size") {
    shard.file.digest.low ^= 1;
    why = "other contents";
  }
  SECTION("another pack") {
    manifest.plan_digest.high ^= 1;
    why = "another pack";
  }
  SECTION("another number of samples") {
    shard.samples += 1;
    manifest.splits[0].samples += 1;
    why = "has 3 samples, the manifest says 4";
  }
  SECTION("another size") {
    shard.companions[0].bytes += 1;
    why = "bytes, the manifest says";
  }
  REQUIRE(WriteManifest(storage, "out", manifest).ok());
  const auto dataset = OpenDataset(storage);
  const auto index = dataset->OpenIndex(dataset->shards()[1]);
  REQUIRE_FALSE(index.ok());
  CHECK(index.status().code() == Code::kCorrupt);
  CHECK(index.status().where().path == "out/train-1.rec.sdx");
  CHECK_THAT(index.status().message(), Catch::StartsWith("stale sidecar"));
  CHECK_THAT(index.status().message(), Catch::Contains(why));
}

TEST_CASE("DatasetReader says which shard has no sidecar", "[dataset]") {
  MemoryStorage storage;
  Manifest manifest = PutDataset(storage);
  REQUIRE(storage.Remove("out/train-0.rec.sdx").ok());
  auto dataset = OpenDataset(storage);
  CHECK(dataset->OpenIndex(dataset->shards()[0]).status().code() ==
        Code::kNotFound);
  manifest.splits[0].shards[0].companions.clear();
  REQUIRE(WriteManifest(storage, "out", manifest).ok());
  dataset = OpenDataset(storage);
  const Status status = dataset->OpenIndex(dataset->shards()[0]).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == "out/train-0.rec");
}

TEST_CASE("DatasetReader finds samples by key", "[dataset]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto dataset = OpenDataset(storage);
  const auto found = dataset->FindKey("d");
  REQUIRE(found.ok());
  CHECK(found->shard == &dataset->shards()[1]);
  CHECK(found->record == 1);
  const auto in_val = dataset->FindKey("v");
  REQUIRE(in_val.ok());
  CHECK(in_val->shard == &dataset->shards()[2]);
  CHECK(in_val->record == 0);
}

TEST_CASE("DatasetReader asks for the split of a key that several have",
          "[dataset]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto dataset = OpenDataset(storage);
  const Status status = dataset->FindKey("c").status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().key == "c");
  CHECK_THAT(status.message(), Catch::EndsWith("train, val"));
  const auto train = dataset->FindKey("c", "train");
  REQUIRE(train.ok());
  CHECK(train->shard == &dataset->shards()[1]);
  CHECK(train->record == 0);
  const auto val = dataset->FindKey("c", "val");
  REQUIRE(val.ok());
  CHECK(val->shard == &dataset->shards()[2]);
  CHECK(val->record == 1);
}

TEST_CASE("DatasetReader says when there is no such key or split",
          "[dataset]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto dataset = OpenDataset(storage);
  for (const Status& status :
       {dataset->FindKey("x").status(), dataset->FindKey("").status(),
        dataset->FindKey("v", "train").status()}) {
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.where().path == "out");
  }
  CHECK(dataset->FindKey("a", "test").status().code() ==
        Code::kInvalidArgument);
}

TEST_CASE("DatasetReader finds keys anywhere in a large shard", "[dataset]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("out").ok());
  SyntheticShard shard{"t.rec", {}};
  for (int i = 0; i < 17'000; ++i) shard.keys.push_back(std::to_string(i));
  Manifest manifest;
  manifest.plan_digest = kPlan;
  AddSplit(storage, manifest, "train", {shard});
  REQUIRE(WriteManifest(storage, "out", manifest).ok());
  const auto dataset = OpenDataset(storage);
  for (const std::uint64_t record : {0u, 16'383u, 16'384u, 16'999u}) {
    const auto found = dataset->FindKey(std::to_string(record));
    REQUIRE(found.ok());
    CHECK(found->record == record);
  }
}

TEST_CASE("DatasetReader names the variants of a folder without a manifest",
          "[dataset]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("out").ok());
  Status status = DatasetReader::Open(storage, "out").status();
  CHECK(status.code() == Code::kNotFound);
  CHECK_THAT(status.message(), !Catch::Contains("variants"));
  for (const std::string size : {"320", "96", "160"}) {
    REQUIRE(storage.CreateDirectories("out/sz/" + size).ok());
    REQUIRE(WriteManifest(storage, "out/sz/" + size, Manifest()).ok());
  }
  storage.Put("out/sz/500/half.rec", "");
  status = DatasetReader::Open(storage, "out").status();
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == "out");
  CHECK_THAT(status.message(), Catch::EndsWith("sz/96, sz/160, sz/320"));
}

TEST_CASE("DatasetReader opens 14.2 million samples by their manifest alone",
          "[dataset]") {
  MemoryStorage memory;
  REQUIRE(memory.CreateDirectories("out").ok());
  Manifest manifest;
  manifest.format = "recordio/mxnet";
  ManifestSplit split;
  split.name = "train";
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "train-" + std::to_string(i) + ".rec";
    split.shards.push_back(
        {.file = {name, 1'500'000'000, {1, 2}},
         .samples = 14'197,
         .companions = {{name + ".idx", 250'000, {3, 4}},
                        {name + ".sdx", 1'300'000, {5, 6}}}});
    split.samples += 14'197;
  }
  for (int i = 0; i < 21'841; ++i) {
    manifest.classes.push_back({"n" + std::to_string(i), i, 650});
  }
  manifest.splits = {split};
  REQUIRE(WriteManifest(memory, "out", manifest).ok());

  FaultStorage storage(memory, {.call = ~std::uint64_t{0}});
  const auto dataset = OpenDataset(storage);
  CHECK(dataset->shards().size() == 1000);
  CHECK(dataset->shards()[999].first == 999 * 14'197);
  CHECK(dataset->manifest().samples() == 14'197'000);
  // No file but the manifest was asked for, after a look at whether the path is
  // a folder; the others do not even exist.
  CHECK(storage.calls(Operation::kOpen) == 1);
  CHECK(storage.calls(Operation::kStat) == 1);
}

std::unique_ptr<RandomAccessFile> OpenFile(Storage& storage,
                                           const std::string& path) {
  auto file = storage.Open(path);
  REQUIRE(file.ok());
  return *std::move(file);
}

TEST_CASE("DatasetReader leads to the payload of each sample", "[dataset]") {
  MemoryStorage storage;
  PutDataset(storage);
  const auto dataset = OpenDataset(storage);
  ByteBuffer payload;
  for (const std::string key : {"a", "b", "d", "v"}) {
    const auto found = dataset->FindKey(key);
    REQUIRE(found.ok());
    const auto index = dataset->OpenIndex(*found->shard);
    REQUIRE(index.ok());
    const auto entry = (*index)->Entry(found->record);
    REQUIRE(entry.ok());
    const auto file = OpenFile(storage, dataset->ShardPath(*found->shard));
    REQUIRE(ReadPayload(*file, *entry, payload).ok());
    CHECK(AsText(payload.view()) == PayloadOf(key));
  }
}

}  // namespace
}  // namespace shardine::dataset_reader_test
