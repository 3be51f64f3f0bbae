#include <catch2/catch.hpp>

#include "dataset/manifest.h"
#include "dataset/rejects.h"
#include "pack/dataset_plan.h"
#include "pack/image_policy.h"
#include "pack/pack_plan.h"
#include "pack/tree_block.h"
#include "shardine/pack.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::variants_on_bad_test {
namespace {

// A page that is no image, and a photo that ends too early but decodes with a
// warning.
struct World {
  World() {
    PutImages(storage, "tree");
    storage.Put("tree/class1/page.jpg", "<!DOCTYPE html><html></html>");
    const std::string whole =
        MakeJpeg({.width = 90, .height = 70, .noise = 90});
    storage.Put("tree/class2/warns.jpg",
                whole.substr(0, whole.size() * 2 / 3) + "\xff\xd9");
  }

  Result<PackResult> Pack(OnBad on_bad,
                          ImageCheckLevel check = ImageCheckLevel::kHeader) {
    PackOptions options = VariantsOf("tree", "out");
    options.on_bad = on_bad;
    options.check = check;
    return shardine::Pack(options, {.storage = &storage});
  }

  Manifest ManifestOf(const std::string& folder) {
    const auto manifest = ReadManifest(storage, folder);
    REQUIRE(manifest.status().ToString() == "OK");
    return *manifest;
  }

  MemoryStorage storage;
};

TEST_CASE_METHOD(World,
                 "Pack of sizes fails on damage that only decoding shows",
                 "[pack][variants][on-bad]") {
  REQUIRE(storage.Remove("tree/class1/page.jpg").ok());
  const Status failed = Pack(OnBad::kFail).status();
  CHECK(failed.code() == Code::kCorrupt);
  CHECK_THAT(failed.ToString(), Catch::Contains("class2/warns.jpg"));
  CHECK_THAT(failed.message(), Catch::StartsWith("decode-warning: "));
}

TEST_CASE_METHOD(World, "A sample rejected in one variant is so in all",
                 "[pack][variants][on-bad]") {
  const OnBad on_bad = GENERATE(OnBad::kSkip, OnBad::kQuarantine);
  const auto result = Pack(on_bad);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == kImages);
  const Manifest root = ManifestOf("out");
  REQUIRE(root.rejected.size() == 2);
  CHECK(root.rejected[0].reason == "decode-warning");
  CHECK(root.rejected[1].reason == "not-an-image");
  for (const std::string folder : {"out/sz/16", "out/sz/24"}) {
    const Manifest size = ManifestOf(folder);
    CHECK(size.samples() == kImages);
    CHECK(size.rejected == root.rejected);
    CHECK(size.names_digest() == root.names_digest());
    CHECK(size.variant.parent_digest == root.content_digest());
    CHECK(*storage.Get(folder + "/rejected.jsonl") ==
          *storage.Get("out/rejected.jsonl"));
  }
  CHECK(storage.Get("out/quarantine/train/class2/warns.jpg").ok() ==
        (on_bad == OnBad::kQuarantine));
}

TEST_CASE_METHOD(World, "A bad image is kept if its sizes can be made",
                 "[pack][variants][on-bad]") {
  const auto result = Pack(OnBad::kKeep);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == kImages + 1);
  const std::vector<ManifestRejected> expected = {{"decode-warning", "keep", 1},
                                                  {"not-an-image", "skip", 1}};
  for (const std::string folder : {"out", "out/sz/16", "out/sz/24"}) {
    const Manifest manifest = ManifestOf(folder);
    CHECK(manifest.samples() == kImages + 1);
    CHECK(manifest.rejected == expected);
  }
}

TEST_CASE_METHOD(World, "Without a check only what cannot be made is rejected",
                 "[pack][variants][on-bad]") {
  const auto result = Pack(OnBad::kSkip, ImageCheckLevel::kNone);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == kImages + 1);
  REQUIRE(result->rejected.size() == 1);
  CHECK(result->rejected[0].reason == "not-an-image");
}

TEST_CASE_METHOD(World, "A sample too large at one size is left out of all",
                 "[pack][variants][on-bad]") {
  const auto planned = MakePackPlan(
      storage, {storage, "out"}, VariantsOf("tree", "out"), BuiltinFormats());
  REQUIRE(planned.ok());
  const ImagePolicy policy(planned->plan,
                           {.output = {storage, "out"},
                            .on_bad = GENERATE(OnBad::kSkip, OnBad::kKeep),
                            .check = ImageCheckLevel::kHeader,
                            .max_payload = 8000,
                            .short_sides = {16, 96},
                            .image = {.encoding = Encoding::kPng}});
  const TreeBlockPreparer preparer(storage, planned->plan, policy);
  int large = 0;
  for (const PlannedBlock& block :
       CutBlocks(planned->plan, {0, 1, 2}, 1 << 20)) {
    const PreparedBlock prepared = preparer.Prepare(block, {}, {});
    REQUIRE(prepared.status.ok());
    REQUIRE(prepared.variants.size() == 3);
    for (std::size_t i = 0; i < prepared.samples.size(); ++i) {
      const PreparedSample& sample = prepared.samples[i];
      for (const PreparedVariant& variant : prepared.variants) {
        CHECK((variant.payloads[i].size > 0) == sample.packed);
        CHECK(variant.payloads[i].size <= 8000);
      }
      large += sample.reject && sample.reject->reason == "too-large" ? 1 : 0;
    }
  }
  CHECK(large >= 3);
}

TEST_CASE_METHOD(World, "Blocks of sizes are small enough to be in memory",
                 "[pack][variants]") {
  const auto planned = MakePackPlan(
      storage, {storage, "out"}, VariantsOf("tree", "out"), BuiltinFormats());
  REQUIRE(planned.ok());
  for (const PlannedBlock& block :
       CutBlocks(planned->plan, {0, 1, 2}, 1 << 20)) {
    CHECK(block.count == 1);
    CHECK(block.weight == block.bytes + (1 << 20));
  }
  const VariantOptions few = {.short_sides = {16}, .image = {}};
  const VariantOptions many = {.short_sides = {16, 320}, .image = {}};
  CHECK(EstimateSizes(VariantOptions()) == 0);
  CHECK(EstimateSizes(few) < EstimateSizes(many));
}

}  // namespace
}  // namespace shardine::variants_on_bad_test
