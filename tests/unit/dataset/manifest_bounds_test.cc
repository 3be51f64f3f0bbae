#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "dataset/manifest.h"
#include "dataset/manifest_check.h"

namespace shardine::manifest_bounds_test {
namespace {

// Shards with room for 103 samples each.
ManifestShard MakeShard(const std::string& name, std::uint64_t samples) {
  return {.file = {name, 1000, {1, 1}},
          .samples = samples,
          .companions = {{name + ".idx", 20, {3, 4}},
                         {name + ".rec", 25, {7, 8}},
                         {name + ".sdx", 8256, {5, 6}}}};
}

Manifest MakeManifest() {
  Manifest manifest;
  manifest.format = "recordio/mxnet";
  manifest.classes = {{"n01", 0, 3}};
  manifest.splits = {
      {.name = "train",
       .samples = 5,
       .content_digest = {},
       .names_digest = {},
       .order_digest = {},
       .shards = {MakeShard("train-0", 3), MakeShard("train-1", 2)}}};
  manifest.variant.name = "sz/160";
  manifest.variant.short_side = 160;
  manifest.variant.images = "bilinear";
  manifest.rejected = {{"empty", "skip", 1}};
  manifest.files = {{"rejected.jsonl", 12, {70, 70}}};
  return manifest;
}

void CheckCorrupt(const std::string& text, const std::string& what) {
  const auto manifest = ParseManifest(text);
  REQUIRE_FALSE(manifest.ok());
  CHECK(manifest.status().code() == Code::kCorrupt);
  CHECK_THAT(manifest.status().message(), Catch::Contains(what));
}

// Loaders count on it: positions and steps of an epoch are added unchecked.
TEST_CASE("ParseManifest refuses counts that no dataset has",
          "[manifest][hostile]") {
  Manifest manifest = MakeManifest();
  ManifestSplit& split = manifest.splits[0];
  ManifestShard& shard = split.shards[0];
  const std::uint64_t rest = split.shards[1].samples;
  SECTION("samples with a sidecar as long as they need") {
    const std::uint64_t samples =
        GENERATE(1ULL << 55, 1ULL << 56, 1ULL << 61, ~0ULL - 9);
    shard.samples = samples;
    split.samples = samples + rest;
    shard.companions[2].bytes =
        std::min<std::uint64_t>(samples, 1ULL << 54) * 80;
    CheckCorrupt(SerializeManifest(manifest), "has more samples");
  }
  SECTION("samples without a sidecar") {
    for (ManifestSplit& each : manifest.splits) {
      for (ManifestShard& of : each.shards) of.companions.pop_back();
    }
    shard.samples = 1ULL << 55;
    split.samples = shard.samples + rest;
    CheckCorrupt(SerializeManifest(manifest), "has more samples");
  }
  SECTION("more samples than the sidecar has room for") {
    shard.samples = 104;
    split.samples = 104 + rest;
    CheckCorrupt(SerializeManifest(manifest), "its sidecar has room for");
    shard.samples = 103;
    split.samples = 103 + rest;
    CHECK(ParseManifest(SerializeManifest(manifest)).ok());
  }
  SECTION("bytes of a shard") {
    shard.file.bytes = GENERATE(1ULL << 62, 1ULL << 63, ~0ULL);
    CheckCorrupt(SerializeManifest(manifest), "more samples or bytes");
  }
  SECTION("bytes of all files together") {
    shard.file.bytes = 1ULL << 61;
    split.shards[1].companions[0].bytes = 1ULL << 61;
    CheckCorrupt(SerializeManifest(manifest), "\"train-1\" has more samples");
  }
  SECTION("other counts") {
    std::uint64_t* const counts[] = {
        &manifest.files[0].bytes, &manifest.rejected[0].count,
        &manifest.classes[0].count, &manifest.variant.upscaled,
        &manifest.variant.kept};
    std::uint64_t* const count = counts[GENERATE(range(0, 5))];
    *count = ~0ULL;
    CheckCorrupt(SerializeManifest(manifest), "than any dataset has");
  }
}

}  // namespace
}  // namespace shardine::manifest_bounds_test
