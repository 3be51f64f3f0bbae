// A manifest with something in every member, and forgeries of it with valid
// digests.
#ifndef SHARDINE_TESTS_SUPPORT_MANIFEST_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_MANIFEST_FIXTURE_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "base/checksum.h"
#include "dataset/manifest.h"

namespace shardine {

inline ManifestShard MakeShard(const std::string& name, std::uint64_t samples,
                               const std::string& folder = "") {
  return {.file = {folder + name, 1000 * samples, {samples, 1}},
          .samples = samples,
          .companions = {{folder + name + ".idx", 20, {3, 4}},
                         {name + ".sde", 25, {7, 8}},
                         {name + ".sdx", 8256, {5, 6}}}};
}

inline Manifest MakeManifest() {
  Manifest manifest;
  manifest.format = "recordio/mxnet";
  manifest.classes = {{"n01", -1, 3}, {"n\xFF\"\\02\n", 7, 4}};
  manifest.splits = {
      {.name = "train",
       .samples = 5,
       .content_digest = {~std::uint64_t{0}, 1},
       .names_digest = {2, 2},
       .order_digest = {3, 3},
       .shards = {MakeShard("train-0", 3), MakeShard("train-1", 2)},
       .binding_digest = {11, 12}},
      {.name = "val",
       .samples = 2,
       .content_digest = {1, 0},
       .names_digest = {5, 5},
       .order_digest = {6, 6},
       .shards = {MakeShard("v\xC3\xA4l", 2, "../")},
       .binding_digest = {13, 14}}};
  manifest.entry_points = {.images = 5, .damaged = 1};
  manifest.variant.name = "sz/160";
  manifest.variant.short_side = 160;
  manifest.variant.filter = "bilinear";
  manifest.variant.quality = 90;
  manifest.variant.parent_digest = {8, 9};
  manifest.variant.images = "bilinear pillow13 keep jpeg quality=90 4:2:0";
  manifest.variant.upscaled = 3;
  manifest.variant.kept = 4;
  manifest.variants = {{"sz/160", {1, 2}, {21, 22}},
                       {"sz/320", {3, 4}, {23, 24}}};
  manifest.rejected = {{"empty", "skip", 1}, {"truncated", "keep", 2}};
  manifest.files = {{"rejected.jsonl", 12, {70, 70}}};
  manifest.plan_digest = {10, 11};
  manifest.tool_version = "0.1.0";
  manifest.codec_versions = {"libjpeg-turbo 2.1.5"};
  manifest.made = {.command = "pack",
                   .sources = {"train=/data/t\xFF", "val=v"},
                   .options = {{"no-shuffle", ""}, {"shard-size", "256M"}}};
  return manifest;
}

// The same as the program before wrote it.
inline Manifest MakeManifestOfSchema1() {
  Manifest manifest = MakeManifest();
  manifest.schema = 1;
  for (ManifestSplit& split : manifest.splits) split.binding_digest = {};
  for (ManifestChild& child : manifest.variants) child.binding_digest = {};
  manifest.made = {};
  return manifest;
}

// The digest lines made right again after whatever stands before.
inline std::string Reseal(const std::string& text) {
  const std::size_t at = text.rfind(" \"xxh3_128\"");
  REQUIRE(at != text.npos);
  const std::string before = text.substr(0, at);
  return before + " \"xxh3_128\": \"" + Xxh3_128(AsBytes(before)).ToHex() +
         "\"\n}\n";
}

// The manifest's text with one place changed and the digest made right.
inline std::string Forge(const std::string& from, const std::string& to) {
  std::string text = SerializeManifest(MakeManifest());
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return Reseal(text.replace(at, from.size(), to));
}

inline void CheckCorrupt(const std::string& text, const std::string& what) {
  CAPTURE(text.substr(0, 300));
  const auto manifest = ParseManifest(text);
  REQUIRE_FALSE(manifest.ok());
  CHECK(manifest.status().code() == Code::kCorrupt);
  CHECK_THAT(manifest.status().message(), Catch::Contains(what));
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_MANIFEST_FIXTURE_H_
