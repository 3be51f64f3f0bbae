// Where one split's samples are cut into shards, and the input of a shard's
// digest.
#include "pack/split_writer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shard/content_digest.h"
#include "shard/shard_index.h"
#include "shardine/format.h"
#include "support/draws.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"

namespace shardine::split_writer_test {
namespace {

struct Sample {
  std::string key;
  std::string image;
  std::vector<Label> labels = {};
  std::uint64_t id = 0;
};

struct World {
  World() : work(WorkOf(storage)) {}

  static StagedWork WorkOf(Storage& storage) {
    REQUIRE(storage.CreateDirectories("stage").ok());
    const auto format = ParseFormat(BuiltinFormats(), "recordio");
    REQUIRE(format.ok());
    return {.folder = {storage, "stage"},
            .format = *format,
            .classes = {},
            .entry_points = EntryPoints::kNone,
            .shard_bytes = std::uint64_t{1} << 30,
            .shard_samples = 0,
            .fingerprint = "test"};
  }
  Status Append(SplitWriter& writer, const Sample& sample,
                const std::stop_token& stop = {}) {
    const FieldView field{.name = kImageField, .bytes = AsBytes(sample.image)};
    const CheckedSample checked{
        .view = {.id = sample.id,
                 .key = sample.key,
                 .labels = sample.labels,
                 .fields = {&field, 1}},
        .image = {},
        .bytes = sample.image.size(),
        .digest = ContentDigest(sample.labels, {&field, 1})};
    return writer.Append(checked, stop);
  }
  // The shards that the samples become, in a folder that holds nothing else.
  std::vector<StagedShard> Write(const std::vector<Sample>& samples,
                                 const std::string& split = "train") {
    for (const auto& [name, contents] : TakeSnapshot(storage, "stage")) {
      REQUIRE(storage.Remove("stage/" + name).ok());
    }
    SplitWriter writer(work, split);
    for (const Sample& sample : samples) {
      REQUIRE(Append(writer, sample).ToString() == "OK");
    }
    REQUIRE(writer.EndShard({}).ok());
    return writer.shards();
  }
  std::vector<std::string> KeysOf(const std::string& shard) {
    const auto index = ShardIndex::Open(storage, SidecarName("stage/" + shard));
    REQUIRE(index.status().ToString() == "OK");
    std::vector<std::string> keys;
    REQUIRE((*index)->Keys(0, (*index)->size(), keys).ok());
    return keys;
  }

  MemoryStorage storage;
  StagedWork work;
};

std::vector<Sample> Draw(std::uint32_t seed, std::size_t count) {
  Draws draws(seed);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    Sample sample;
    sample.key = std::string(draws.Below(40), 'k') + std::to_string(i);
    // Many are empty, some as large as a shard.
    const std::uint64_t size = draws.Coin() ? 0 : draws.Below(900);
    sample.image = NoiseBytes(size, i);
    for (std::uint64_t n = draws.Below(3); n > 0; --n) {
      sample.labels.push_back(Label(static_cast<std::int64_t>(n)));
    }
    sample.id = i;
    samples.push_back(std::move(sample));
  }
  return samples;
}

// Cuts shards as dataset_writer.h says: "a shard ends before the sample that
// would make it larger; a sample counts for its fields, key and labels and 64
// bytes".
std::vector<std::vector<std::string>> CutAsSaid(
    const std::vector<Sample>& samples, const StagedWork& work) {
  std::vector<std::vector<std::string>> shards;
  std::uint64_t bytes = 0;
  for (const Sample& sample : samples) {
    const std::uint64_t weight = sample.image.size() + sample.key.size() +
                                 sizeof(Label) * sample.labels.size() + 64;
    const bool full = work.shard_samples > 0 && !shards.empty() &&
                      shards.back().size() == work.shard_samples;
    if (shards.empty() || full || bytes + weight > work.shard_bytes) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += weight;
    shards.back().push_back(sample.key);
  }
  return shards;
}

TEST_CASE("SplitWriter cuts shards where its options say", "[pack][split]") {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    World world;
    Draws draws(100 + seed);
    world.work.shard_bytes = 1 + draws.Below(3000);
    world.work.shard_samples = draws.Coin() ? 0 : 1 + draws.Below(9);
    const std::vector<Sample> samples = Draw(seed, 60);
    const auto expected = CutAsSaid(samples, world.work);
    const std::vector<StagedShard> shards = world.Write(samples, "val");
    INFO("seed " << seed);
    REQUIRE(shards.size() == expected.size());
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const std::string number = std::to_string(i);
      CHECK(shards[i].name ==
            "val-" + std::string(5 - number.size(), '0') + number + ".rec");
      CHECK(shards[i].samples == expected[i].size());
      CHECK(world.KeysOf(shards[i].name) == expected[i]);
    }
  }
}

TEST_CASE_METHOD(World, "SplitWriter makes a shard of a sample that is too big",
                 "[pack][split]") {
  work.shard_bytes = 1;
  CHECK(Write({{"a", "xx"}, {"b", ""}, {"c", "yy"}}).size() == 3);
  // Nothing appended, nothing made.
  CHECK(Write({}, "none").empty());
  CHECK_FALSE(storage.Stat("stage/none-00000.rec").ok());
}

TEST_CASE_METHOD(World, "A shard's digest is of its own samples alone",
                 "[pack][split]") {
  const std::vector<Sample> tail = {{"x", "12", {Label(1)}, 5},
                                    {"y", "34", {Label(2)}, 6}};
  const Digest128 alone = Write(tail, "train")[0].digest;
  std::vector<Sample> more = {{"a", "12"}, {"b", "34"}};
  more.insert(more.end(), tail.begin(), tail.end());
  work.shard_samples = 2;
  const auto shards = Write(more, "train");
  REQUIRE(shards.size() == 2);
  CHECK(shards[1].digest == alone);
  CHECK(shards[0].digest != alone);
}

TEST_CASE_METHOD(World, "Whatever decides a shard's bytes is in its digest",
                 "[pack][split]") {
  const std::vector<Sample> samples = {{"x", "12", {Label(1)}, 5},
                                       {"y", "34", {Label(2)}, 6}};
  const Digest128 before = Write(samples)[0].digest;
  CHECK(Write(samples)[0].digest == before);
  std::vector<std::vector<Sample>> others(6, samples);
  others[0][0].key = "z";
  others[1][0].labels = {Label(3)};
  others[2][0].labels = {};
  others[3][0].id = 7;
  others[4][0].image = "123";
  std::swap(others[5][0], others[5][1]);
  for (const std::vector<Sample>& other : others) {
    CHECK(Write(other)[0].digest != before);
  }
  CHECK(Write(samples, "val")[0].digest != before);
  work.fingerprint = "another";
  CHECK(Write(samples)[0].digest != before);
  work.fingerprint = "test";
  work.classes = {{"a", 1, 0, ""}};
  CHECK(Write(samples)[0].digest != before);
}

TEST_CASE_METHOD(World, "SplitWriter finds a key twice in a shard at once",
                 "[pack][split]") {
  work.shard_samples = 2;
  SplitWriter writer(work, "train");
  // The key's memory is the caller's, and another one's by the next call.
  Sample sample{"first", "1"};
  REQUIRE(Append(writer, sample).ok());
  sample.key = "other";
  REQUIRE(Append(writer, sample).ok());
  // A key that repeats in the next shard is the business of all shards
  // together.
  sample.key = "first";
  REQUIRE(Append(writer, sample).ok());
  const Status twice = Append(writer, sample);
  CHECK(twice.code() == Code::kInvalidArgument);
  CHECK(twice.message() == "split train has a sample of this key already");
}

TEST_CASE_METHOD(World, "A split that is given up leaves no finished shard",
                 "[pack][split]") {
  {
    SplitWriter writer(work, "train");
    REQUIRE(Append(writer, {"a", "1"}).ok());
  }
  CHECK_FALSE(storage.Stat("stage/train-00000.rec").ok());
  CHECK_FALSE(storage.Stat("stage/train-00000.rec.sdx").ok());
  // A writer that is stopped while it reads back leaves none either.
  SplitWriter writer(work, "train");
  REQUIRE(Append(writer, {"a", "1"}).ok());
  std::stop_source stop;
  stop.request_stop();
  CHECK(writer.EndShard(stop.get_token()).code() == Code::kCancelled);
  CHECK(writer.shards().empty());
  CHECK_FALSE(storage.Stat("stage/train-00000.rec").ok());
}

TEST_CASE("SplitWriter fails where the disk does, at any call",
          "[pack][split][fault]") {
  const std::vector<Sample> samples = Draw(3, 8);
  const bool has_finisher = GENERATE(false, true);
  for (std::uint64_t call = 0;; ++call) {
    MemoryStorage below;
    REQUIRE(below.CreateDirectories("stage").ok());
    FaultStorage faulty(below, {.operation = Operation::kAny, .call = call});
    World world;
    StagedWork work = World::WorkOf(below);
    work.folder = {faulty, "stage"};
    work.shard_samples = 4;
    ShardFinisher finisher;
    if (has_finisher) work.finisher = &finisher;
    SplitWriter writer(work, "train");
    Status status;
    for (const Sample& sample : samples) {
      if (status.ok()) status = world.Append(writer, sample);
    }
    if (status.ok()) status = writer.EndShard({});
    const Status finished = finisher.Wait();
    if (status.ok()) status = finished;
    if (!faulty.struck()) {
      CHECK(status.ok());
      break;
    }
    INFO("call " << call << ": " << status.ToString());
    // A shard that counts as finished is whole; a look at earlier files may
    // fail without harm.
    for (const StagedShard& shard : writer.shards()) {
      if (has_finisher && !status.ok()) break;
      CHECK(ShardIndex::Open(below, SidecarName("stage/" + shard.name)).ok());
    }
    if (status.ok()) CHECK(writer.shards().size() == 2);
    REQUIRE((status.ok() || status.code() == Code::kIo));
  }
}

}  // namespace
}  // namespace shardine::split_writer_test
