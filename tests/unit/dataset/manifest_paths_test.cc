#include <catch2/catch.hpp>
#include <string>

#include "dataset/manifest.h"
#include "dataset/manifest_check.h"
#include "support/manifest_fixture.h"

namespace shardine::manifest_paths_test {
namespace {

using namespace std::string_literals;

TEST_CASE("ParseManifest refuses paths that lead astray",
          "[manifest][hostile]") {
  const std::string path =
      GENERATE(as<std::string>(), "", "/etc/passwd", "a//b", "a/", "./a",
               "a/./b", "a/../b", "a/..", "..", "../..", ".", "/");
  CAPTURE(path);
  CHECK_FALSE(IsManifestPath(path));
  Manifest manifest = MakeManifest();
  SECTION("of a shard") {
    manifest.splits[0].shards[1].file.path = path;
    manifest.splits[0].shards[1].companions.clear();
    manifest.entry_points = {.images = 5, .damaged = 0};
  }
  SECTION("of a companion") {
    manifest.splits[0].shards[1].companions = {{path, 1, {}}};
  }
  SECTION("of another file") { manifest.files = {{path, 1, {}}}; }
  SECTION("of a variant") { manifest.variants = {{path, {}}}; }
  CheckCorrupt(SerializeManifest(manifest), "no path ");
}

TEST_CASE("ParseManifest lets nothing but shards lie elsewhere",
          "[manifest][hostile]") {
  Manifest manifest = MakeManifest();
  ManifestShard& shard = manifest.splits[0].shards[1];
  SECTION("a sidecar") { shard.companions = {{"../s/train-1.sdx", 1, {}}}; }
  SECTION("entry points") { shard.companions = {{"../s/train-1.sde", 1, {}}}; }
  SECTION("a sidecar beside its shard") {
    shard.file.path = "../s/train-1";
    shard.companions = {{"../s/train-1.sdx", 1, {}}};
  }
  SECTION("a native index that is not beside its shard") {
    shard.companions = {{"../s/train-1.idx", 1, {}}};
  }
  SECTION("a native index beside another shard") {
    shard.file.path = "../t/train-1";
    shard.companions = {{"../s/train-1.idx", 1, {}}};
  }
  SECTION("another file") { manifest.files = {{"../rejected.jsonl", 1, {}}}; }
  SECTION("a variant") { manifest.variants = {{"../sz/160", {}, {}}}; }
  CheckCorrupt(SerializeManifest(manifest), "is no path below the manifest");
}

TEST_CASE("ParseManifest takes the native index of a shard in place",
          "[manifest]") {
  Manifest manifest = MakeManifest();
  ManifestShard& shard = manifest.splits[0].shards[1];
  shard.file.path = "../s/train-1";
  shard.companions = {{"../s/train-1.idx", 1, {}},
                      {"train-1.sde", 1, {}},
                      {"train-1.sdx", 8256, {}}};
  CHECK(ParseManifest(SerializeManifest(manifest)).status().ToString() == "OK");
}

TEST_CASE("IsPathBelow takes what goes nowhere else", "[manifest]") {
  CHECK(IsPathBelow("a/b.sdx"));
  CHECK(IsPathBelow("..a"));
  CHECK_FALSE(IsPathBelow("../a"));
  CHECK_FALSE(IsPathBelow("a/../b"));
  CHECK_FALSE(IsPathBelow("/a"));
}

TEST_CASE("IsManifestPath takes relative paths of any other bytes",
          "[manifest]") {
  CHECK(IsManifestPath("a"));
  CHECK(IsManifestPath("a/b.rec"));
  CHECK(IsManifestPath("../a"));
  CHECK(IsManifestPath("../../a/b"));
  CHECK(IsManifestPath("..."));
  CHECK(IsManifestPath("..a/.b"));
  CHECK(IsManifestPath(" \n\xFF\\"));
  CHECK_FALSE(IsManifestPath("a\0b"s));
}

TEST_CASE("ParseManifest refuses a split that could be no folder",
          "[manifest][hostile]") {
  const std::string name =
      GENERATE(as<std::string>(), "", "..", "../x", "a/b", "/", ".");
  Manifest manifest = MakeManifest();
  manifest.splits.erase(manifest.splits.begin());
  manifest.splits[0].name = name;
  CheckCorrupt(SerializeManifest(manifest), "no name for a split");
}

}  // namespace
}  // namespace shardine::manifest_paths_test
