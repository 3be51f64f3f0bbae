// Shards of other programs some of whose fields are not in the file as such:
// extents belong to fields, and users of the image alone read it alone.
#include <catch2/catch.hpp>

#include "shard/payload.h"
#include "shardine/index.h"
#include "shardine/loader.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "unit/load/memory_dataset.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::foreign_fields_test {
namespace {

constexpr std::uint32_t kSamples = 6;
constexpr char kFile[] = "set.tfrecord";

// Records as TensorFlow's users write them: an image, a label, and a list of
// numbers, which lies in the file as varints.
std::string MakeRecords() {
  std::vector<std::string> records;
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    records.push_back(ExampleOf(
        {{"image/class/label", Int64Feature({i % 2})},
         {"image/encoded",
          BytesFeature(
              {MakeJpeg({.width = 20 + i, .height = 24, .seed = i + 1})})},
         {"parts", Int64Feature({1000 + i, 2, -3})}}));
  }
  return FileOf(records);
}

void PutRecords(MemoryStorage& storage) { storage.Put(kFile, MakeRecords()); }

std::shared_ptr<const Dataset> OpenFile(Storage& storage) {
  auto source =
      SampleSource::OpenShards(storage, {kFile}, {}, BuiltinFormats());
  REQUIRE(source.status().ToString() == "OK");
  return std::make_shared<const Dataset>(*std::move(source));
}

std::shared_ptr<const Dataset> IndexFile(MemoryStorage& storage) {
  IndexOptions options;
  options.files = {kFile};
  options.output = "index";
  const auto indexed = IndexShards(options, {.storage = &storage});
  REQUIRE(indexed.status().ToString() == "OK");
  REQUIRE_FALSE(indexed->warnings.empty());
  CHECK_THAT(indexed->warnings.back(),
             Catch::Contains("not streamed: field \"parts\" of 6 samples"));
  auto source = SampleSource::Open(storage, "index", {});
  REQUIRE(source.status().ToString() == "OK");
  return std::make_shared<const Dataset>(*std::move(source));
}

LoaderOptions Options(OnBadSample on_bad) {
  LoaderOptions options;
  options.batch_size = 3;
  options.threads = 2;
  options.on_bad = on_bad;
  options.transform = CenterCrop{.width = 16, .height = 16, .resize = 0};
  return options;
}

TEST_CASE("Images beside a list of numbers are streamed, none of them gray",
          "[foreign_fields]") {
  MemoryStorage storage;
  PutRecords(storage);
  for (const bool indexed : {false, true}) {
    CAPTURE(indexed);
    const auto dataset = indexed ? IndexFile(storage) : OpenFile(storage);
    auto loader = Loader::Create(dataset, Options(OnBadSample::kGray));
    REQUIRE(loader.status().ToString() == "OK");
    for (int i = 0; i < 2; ++i) {
      const auto batch = (*loader)->Next();
      REQUIRE(batch.status().ToString() == "OK");
      REQUIRE(batch->has_value());
    }
    CHECK((*loader)->stats().images == kSamples);
    CHECK((*loader)->stats().bad == 0);
  }
}

TEST_CASE("A sample names the fields that it could not read",
          "[foreign_fields]") {
  MemoryStorage storage;
  PutRecords(storage);
  const auto sample = OpenFile(storage)->Read(2);
  REQUIRE(sample.status().ToString() == "OK");
  CHECK(sample->unread == std::vector<std::string>{"parts"});
  REQUIRE(sample->fields.size() == 1);
  CHECK(AsText(sample->image()) ==
        MakeJpeg({.width = 22, .height = 24, .seed = 3}));
}

TEST_CASE("A field that cannot be streamed is an error before the first batch",
          "[foreign_fields]") {
  MemoryStorage storage;
  PutRecords(storage);
  for (const OnBadSample on_bad :
       {OnBadSample::kFail, OnBadSample::kDrop, OnBadSample::kGray}) {
    LoaderOptions options = Options(on_bad);
    options.fields = {"parts"};
    const auto loader = Loader::Create(OpenFile(storage), options);
    CHECK(loader.status().code() == Code::kUnsupported);
    CHECK(loader.status().where().path == kFile);
    CHECK(loader.status().where().record == 0u);
    CHECK_THAT(loader.status().message(),
               Catch::StartsWith("the field \"parts\" is not in the shard"));
  }
}

TEST_CASE("A compressed shard is an error before the first batch",
          "[foreign_fields]") {
  MemoryStorage storage;
  PutRecords(storage);
  storage.Put(kFile, Deflated(MakeRecords(), 31));
  for (const bool indexed : {false, true}) {
    CAPTURE(indexed);
    if (indexed) {
      IndexOptions options;
      options.files = {kFile};
      options.output = "index";
      REQUIRE(IndexShards(options, {.storage = &storage}).ok());
    }
    auto source = indexed ? SampleSource::Open(storage, "index", {})
                          : SampleSource::OpenShards(storage, {kFile}, {},
                                                     BuiltinFormats());
    REQUIRE(source.ok());
    const auto loader =
        Loader::Create(std::make_shared<const Dataset>(*std::move(source)),
                       Options(OnBadSample::kGray));
    CHECK(loader.status().code() == Code::kUnsupported);
    CHECK_THAT(loader.status().message(),
               Catch::StartsWith("the field \"image\" is not in the shard"));
    CHECK_THAT(loader.status().message(), Catch::Contains("convert"));
  }
}

TEST_CASE("Damage of an image is found though the image is read alone",
          "[foreign_fields][corruption]") {
  MemoryStorage storage;
  PutRecords(storage);
  const auto dataset = IndexFile(storage);
  const std::string image = MakeJpeg({.width = 21, .height = 24, .seed = 2});
  std::string file = *storage.Get(kFile);
  const std::size_t at = file.find(image);
  REQUIRE(at != file.npos);
  file[at + image.size() / 2] ^= 1;
  storage.Put(kFile, file);
  const auto sample = dataset->Read(1);
  CHECK(sample.status().code() == Code::kCorrupt);
  CHECK(sample.status().where().record == 1u);
  CHECK(dataset->Read(0).ok());
}

}  // namespace
}  // namespace shardine::foreign_fields_test
