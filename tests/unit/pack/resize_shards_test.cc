#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shardine/pack.h"
#include "shardine/resize.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::resize_shards_test {
namespace {

ResizeShardsOptions ResizeOf(const std::string& source) {
  ResizeShardsOptions options;
  options.source.folders = {{"train", source}};
  options.output = "resized";
  options.short_sides = {16, 24};
  options.threads = 2;
  return options;
}

struct World {
  World() {
    PutImages(storage, "tree");
    REQUIRE(Pack(VariantsOf("tree", "out"), {.storage = &storage}).ok());
  }

  Result<PackResult> Resize(const ResizeShardsOptions& options) {
    return ResizeShards(options, {.storage = &storage});
  }
  Manifest ManifestOf(const std::string& folder) {
    const auto manifest = ReadManifest(storage, folder);
    REQUIRE(manifest.status().ToString() == "OK");
    return *manifest;
  }

  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "Resize of a dataset gives what its pack would have",
                 "[resize]") {
  const auto result = Resize(ResizeOf("out"));
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->sizes.size() == 2);
  CHECK(result->sizes[0].upscaled == kBelow16);
  for (const std::string size : {"sz/16", "sz/24"}) {
    const Manifest resized = ManifestOf("resized/" + size);
    const Manifest packed = ManifestOf("out/" + size);
    CHECK(resized.variant == packed.variant);
    CHECK(resized.classes == packed.classes);
    REQUIRE(resized.splits.size() == 1);
    CHECK(resized.splits[0].content_digest == packed.splits[0].content_digest);
    CHECK(resized.names_digest() == packed.names_digest());
    CHECK(resized.order_digest() == packed.order_digest());
    REQUIRE(resized.splits[0].shards.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(resized.splits[0].shards[i].file ==
            packed.splits[0].shards[i].file);
    }
  }
  CHECK_FALSE(storage.Stat("resized/shardine.json").ok());
}

TEST_CASE_METHOD(World, "A second resize knows the contents of datasets alone",
                 "[resize]") {
  for (const auto& [source, contents] :
       {std::pair("tree", false), {"out", true}, {"out/shardine.json", true}}) {
    CAPTURE(source);
    ResizeShardsOptions options = ResizeOf(source);
    options.output = "twice_" + std::to_string(contents);
    REQUIRE(Resize(options).status().ToString() == "OK");
    const auto again = Resize(options);
    REQUIRE(again.status().ToString() == "OK");
    CHECK(again->nothing_to_do);
    CHECK(again->contents_compared == contents);
  }
}

TEST_CASE_METHOD(World, "Resize of a dataset into another format and shards",
                 "[resize]") {
  ResizeShardsOptions options = ResizeOf("out");
  options.format = "webdataset";
  options.shards = 2;
  REQUIRE(Resize(options).status().ToString() == "OK");
  const Manifest size = ManifestOf("resized/sz/16");
  CHECK(size.format.starts_with("webdataset"));
  CHECK(size.splits[0].shards.size() == 2);
  CHECK(size.content_digest() == ManifestOf("out/sz/16").content_digest());
}

TEST_CASE_METHOD(World, "Resize of a tree gives the sizes without the original",
                 "[resize]") {
  ResizeShardsOptions options = ResizeOf("tree");
  options.shards = 3;
  options.seed = 7;
  const auto result = Resize(options);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(ManifestOf("resized/sz/24").content_digest() ==
        ManifestOf("out/sz/24").content_digest());
  CHECK(ManifestOf("resized/sz/24").order_digest() ==
        ManifestOf("out/sz/24").order_digest());
  CHECK(Resize(options)->nothing_to_do);
}

TEST_CASE_METHOD(World, "Resize of a size names that as what it was made of",
                 "[resize]") {
  ResizeShardsOptions options = ResizeOf("out/sz/24");
  options.short_sides = {12};
  REQUIRE(Resize(options).status().ToString() == "OK");
  const Manifest size = ManifestOf("resized/sz/12");
  CHECK(size.variant.name == "sz/12");
  CHECK(size.variant.parent_digest == ManifestOf("out/sz/24").content_digest());
}

TEST_CASE_METHOD(World, "Resize names the bad image of a dataset by its record",
                 "[resize]") {
  storage.Put("noise/class0/a.jpg", "no image");
  PackOptions pack = PackOf("noise", "noise-out");
  pack.check = ImageCheckLevel::kNone;
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  ResizeShardsOptions options = ResizeOf("noise-out");
  const Status failed = Resize(options).status();
  CHECK(failed.code() == Code::kCorrupt);
  CHECK(failed.where().path == "noise-out/train-00000-of-00001.rec");
  CHECK(failed.where().record == 0);
  CHECK(failed.where().key == "class0/a.jpg");
  options.on_bad = OnBad::kQuarantine;
  options.output = "aside";
  const auto result = Resize(options);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 0);
  CHECK(*storage.Get("aside/quarantine/train/class0/a.jpg") == "no image");
}

TEST_CASE_METHOD(World, "Resize of a dataset takes no options about a tree",
                 "[resize]") {
  ResizeShardsOptions options = ResizeOf("out");
  options.source.hold_out = 1;
  const Status refused = Resize(options).status();
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(refused.where().path == "out");
}

TEST_CASE_METHOD(World, "Resize leaves other fields as they are", "[resize]") {
  storage.Put("boxes.csv",
              "class0/0.jpg,0.1,0.2,0.3,0.4\n"
              "class1/0.jpg,0.1,0.2,0.3,0.4\n"
              "class2/0.jpg,0.1,0.2,0.3,0.4\n");
  PackOptions pack = VariantsOf("tree", "boxed");
  pack.source.bounding_boxes = "boxes.csv";
  pack.format = "tfrecord";
  REQUIRE(Pack(pack, {.storage = &storage}).status().ToString() == "OK");
  const auto fields = [&](const std::string& folder) {
    const auto dataset = DatasetReader::Open(storage, folder);
    REQUIRE(dataset.ok());
    std::map<std::string, std::string> boxes;  // by key: all but the image
    for (const auto& shard : (*dataset)->shards()) {
      const auto index = (*dataset)->OpenIndex(shard);
      const auto file = storage.Open((*dataset)->ShardPath(shard));
      REQUIRE((index.ok() && file.ok()));
      for (std::uint64_t r = 0; r < (*index)->size(); ++r) {
        const auto entry = (*index)->Entry(r);
        REQUIRE(entry.ok());
        ByteBuffer payload;
        REQUIRE(ReadPayload(**file, *entry, payload).ok());
        for (const FieldView& field : FieldsOf(*entry, payload.view())) {
          if (field.name == kImageField) continue;
          boxes[*(*index)->Key(r)] +=
              std::string(field.name) + "=" + std::string(AsText(field.bytes));
        }
      }
    }
    return boxes;
  };
  const auto expected = fields("boxed");
  REQUIRE(expected.size() == 3);
  CHECK(fields("boxed/sz/16") == expected);
  CHECK(fields("boxed/sz/24") == expected);
  REQUIRE(Resize(ResizeOf("boxed")).status().ToString() == "OK");
  CHECK(fields("resized/sz/16") == expected);
}

}  // namespace
}  // namespace shardine::resize_shards_test
