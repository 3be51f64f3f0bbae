// The same samples through every way to store them: five formats, with and
// without entry points, as datasets and as bare shards, by any number of
// threads and every transform. Each batch has to be the same to the byte.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "dataset/sample_source.h"
#include "io/memory_storage.h"
#include "shardine/loader.h"
#include "shardine/pack.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/sanitized.h"
#include "support/variant_fixture.h"

namespace shardine::loader_formats_test {
namespace {

constexpr const char* kFormats[] = {"recordio", "tfrecord", "lmdb", "hdf5",
                                    "webdataset"};
constexpr std::uint32_t kLarge = 21;
constexpr unsigned kThreads[] = {1, 2, 7};
constexpr std::uint32_t kSamples = kImages + kLarge;

// Images of all kinds, and some that are worth entry points. As stored, ids are
// positions, so that shards whose records have no ids give the same ones.
MemoryStorage& Storage() {
  static const auto made = [] {
    auto storage = std::make_unique<MemoryStorage>();
    PutImages(*storage, "tree");
    for (std::uint32_t i = 0; i < kLarge; ++i) {
      storage->Put("tree/class" + std::to_string(i % 3) + "/large" +
                       std::to_string(10 + i) + ".jpg",
                   MakeJpeg({.width = 70 + 9 * (i % 8),
                             .height = 60 + 11 * (i % 7),
                             .across = i % 3 == 0 ? 1 : 2,
                             .down = i % 4 == 0 ? 1 : 2,
                             .seed = 100 + i}));
    }
    return storage;
  }();
  return *made;
}

struct Stored {
  std::string name;
  std::shared_ptr<const Dataset> dataset;
};

std::shared_ptr<const Dataset> Wrap(
    Result<std::unique_ptr<SampleSource>> source) {
  REQUIRE(source.status().ToString() == "OK");
  return std::make_shared<const Dataset>(*std::move(source));
}

void AddStored(const std::string& format, EntryPoints points,
               std::vector<Stored>& all) {
  const bool with_points = points == EntryPoints::kAuto;
  const std::string output = format + (with_points ? "-points" : "-plain");
  PackOptions options = PackOf("tree", output);
  options.format = format;
  options.check = ImageCheckLevel::kHeader;
  options.shuffle = false;
  options.entry_points = points;
  const auto packed = Pack(options, {.storage = &Storage()});
  REQUIRE(packed.status().ToString() == "OK");
  REQUIRE((packed->entry_points.images > 0) == with_points);
  all.push_back({output, Wrap(SampleSource::Open(Storage(), output, {}))});
  if (with_points) return;
  const SampleSource& source = all.back().dataset->source();
  std::vector<std::string> shards;
  for (const std::uint64_t first : {0u, kSamples / 3, 2 * kSamples / 3}) {
    // Without their sidecars, so that they are scanned.
    const std::string path = source.WhereIs(first).path;
    shards.push_back("bare-" + path);
    Storage().Put(shards.back(), *Storage().Get(path));
  }
  all.push_back(
      {format + "-shards", Wrap(SampleSource::OpenShards(Storage(), shards, {},
                                                         BuiltinFormats()))});
}

const std::vector<Stored>& AllStored() {
  static const auto made = [] {
    std::vector<Stored> all;
    for (const char* format : kFormats) {
      AddStored(format, EntryPoints::kAuto, all);
      AddStored(format, EntryPoints::kNone, all);
    }
    return all;
  }();
  return made;
}

// Everything of a batch in one number.
Digest128 DigestOf(const Batch& batch) {
  Xxh3Stream stream;
  stream.UpdateLe(batch.shape().width);
  stream.UpdateLe(batch.shape().height);
  stream.UpdateLe(batch.padding());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    stream.UpdateLe(batch.ids()[i]);
    stream.UpdateLe(batch.positions()[i]);
    stream.UpdateLe(batch.labels()[i].integer());
    stream.UpdateLe(std::uint32_t{batch.bad()[i]});
    const CropBox box = batch.boxes()[i];
    for (const std::uint32_t part :
         {box.x, box.y, box.width, box.height, box.flip ? 1u : 0u}) {
      stream.UpdateLe(part);
    }
  }
  stream.Update(batch.pixels());
  for (const auto record : batch.records()) stream.Update(record);
  return stream.Digest();
}

std::vector<Digest128> Digests(Loader& loader, std::uint64_t epochs) {
  std::vector<Digest128> digests;
  while (loader.epoch() < epochs) {
    const auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (batch->has_value()) digests.push_back(DigestOf(**batch));
  }
  return digests;
}

LoaderOptions Options() {
  LoaderOptions options;
  options.batch_size = 7;
  options.seed = 11;
  options.last_batch = LastBatch::kPad;
  return options;
}

void CheckAll(LoaderOptions options) {
  std::vector<Digest128> first;
  for (const Stored& stored : AllStored()) {
    for (const unsigned threads : kThreads) {
      if (kSanitized && threads != 7) continue;
      INFO(stored.name << ", " << threads << " threads");
      options.threads = threads;
      auto loader = Loader::Create(stored.dataset, options);
      REQUIRE(loader.status().ToString() == "OK");
      const auto digests = Digests(**loader, 2);
      REQUIRE(digests.size() == 2 * ((kSamples + 6) / 7));
      if (first.empty()) first = digests;
      REQUIRE(digests == first);
    }
  }
}

TEST_CASE("Every way to store samples gives the same records",
          "[loader][formats]") {
  CheckAll(Options());
}

TEST_CASE("Every way to store samples gives the same pixels, transformed",
          "[loader][formats]") {
  LoaderOptions options = Options();
  options.transform = GENERATE(
      Transform(RandomResizedCrop{.width = 30, .height = 22}),
      Transform(CenterCrop{24, 24, 28}), Transform(CenterCrop{40, 40, 0}),
      Transform(Resize{20, 25}), Transform(FixedCrop{1, 2, 6, 5, 12, 9}),
      Transform(RandomCrop{.width = 20, .height = 16, .pad_if_needed = true},
                {RandomHorizontalFlip{}, ColorJitter{.contrast = {0.5, 2}},
                 RandomEqualize{}, RandomErasing{.probability = 1}}));
  CheckAll(options);
}

TEST_CASE("Every way to store samples gives the same rectangular batches",
          "[loader][formats]") {
  LoaderOptions options = Options();
  options.order.order = SampleOrder::kRatio;
  options.transform = RectangularCrop(32);
  CheckAll(options);
}

TEST_CASE("Every way to store samples gives the same floats",
          "[loader][formats]") {
  LoaderOptions options = Options();
  options.transform = Transform(RandomResizedCrop{.width = 30, .height = 22},
                                {Normalize{{120, 110, 100}, {58, 57, 56}}});
  options.pixels.type = GENERATE(PixelType::kFloat32, PixelType::kFloat16);
  options.pixels.layout = PixelLayout::kNchw;
  options.order = {SampleOrder::kBlocks, 5, 2};
  CheckAll(options);
}

TEST_CASE("Every way to store samples gives the same keys and order digest",
          "[loader][formats]") {
  const Dataset& first = *AllStored().front().dataset;
  REQUIRE(first.size() == kSamples);
  int with_keys = 0;
  for (const Stored& stored : AllStored()) {
    INFO(stored.name);
    const Dataset& dataset = *stored.dataset;
    CHECK(dataset.order_digest() == first.order_digest());
    // Bare records may have none: then their keys are made up.
    const bool made_up = *dataset.Key(0) == "00000000.jpg";
    with_keys += made_up ? 0 : 1;
    for (std::uint64_t i = 0; i < kSamples && !made_up; ++i) {
      const auto key = dataset.Key(i);
      REQUIRE(key.ok());
      CHECK(*key == *first.Key(i));
    }
  }
  // All datasets, and shards of formats that have room for keys.
  CHECK(with_keys >= 10 + 1);
  CHECK(with_keys < 15);
}

}  // namespace
}  // namespace shardine::loader_formats_test
