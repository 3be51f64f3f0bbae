// Manifests that lie about where the files of a dataset are, and links that
// lead out of it: reindex writes and removes below its dataset alone.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "shardine/convert.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::reindex_hostile_test {
namespace {

constexpr char kPoints0[] = ".shardine/train-00000-of-00003.rec.sde";

struct World {
  World() {
    PutImages(storage, "tree");
    Pack("out");
    Pack("victim");
    storage.Put("victim/secret.sdx", "of somebody else");
    storage.Put("victim/secret.sde", "of somebody else");
    victim = TakeSnapshot(storage, "victim");
    auto read = ReadManifest(storage, "out");
    REQUIRE(read.ok());
    manifest = *std::move(read);
    companions = shard().companions;
  }

  void Pack(const std::string& output) {
    const auto packed =
        shardine::Pack(VariantsOf("tree", output), {.storage = &storage});
    REQUIRE(packed.status().ToString() == "OK");
  }
  // Past the checks of a writer.
  void PutManifest() {
    storage.Put("out/shardine.json", SerializeManifest(manifest));
  }
  ManifestShard& shard() { return manifest.splits[0].shards[0]; }
  Status Reindex(EntryPoints entry_points) {
    ReindexOptions options;
    options.dataset = "out";
    options.entry_points = entry_points;
    return shardine::Reindex(options, {.storage = &storage}).status();
  }
  void CheckRefused(Code code) {
    const std::string before = *storage.Get("out/shardine.json");
    for (const EntryPoints wanted : {EntryPoints::kNone, EntryPoints::kAuto}) {
      const Status status = Reindex(wanted);
      CAPTURE(status.ToString());
      CHECK(status.code() == code);
      CHECK(TakeSnapshot(storage, "victim") == victim);
      CHECK(*storage.Get("out/shardine.json") == before);
      for (const ManifestFile& file : companions) {
        CHECK(storage.Get("out/" + file.path).ok());
      }
    }
  }

  MemoryStorage storage;
  Snapshot victim;
  Manifest manifest;
  std::vector<ManifestFile> companions;  // of the first shard, as packed
};

TEST_CASE_METHOD(World, "Reindex follows no companion out of the dataset",
                 "[reindex][hostile]") {
  shard().companions = {{"../victim/secret.sde", 16, {}},
                        {"../victim/secret.sdx", 16, {}}};
  PutManifest();
  CheckRefused(Code::kCorrupt);
}

TEST_CASE_METHOD(World, "Reindex follows no variant out of the dataset",
                 "[reindex][hostile]") {
  manifest.variants = {{"../victim", {}, {}}};
  PutManifest();
  CheckRefused(Code::kCorrupt);
}

TEST_CASE_METHOD(World, "Reindex follows no link to another dataset",
                 "[reindex][hostile]") {
  const std::string child = GENERATE(as<std::string>(), "other", "other/sz/16");
  storage.PutSymlink("out/other", "../victim");
  manifest.variants = {{child, {}, {}}};
  PutManifest();
  CheckRefused(Code::kUnsupported);
}

TEST_CASE_METHOD(World, "Reindex follows no link to another folder's sidecars",
                 "[reindex][hostile]") {
  storage.PutSymlink("out/sub", "../victim");
  // The same shards: a sidecar that fits, and its entry points.
  for (ManifestFile& file : shard().companions) {
    if (file.path.ends_with(".idx")) continue;
    file.path = "sub/" + file.path;
  }
  std::ranges::sort(shard().companions, {}, &ManifestFile::path);
  manifest.variants.clear();
  PutManifest();
  CheckRefused(Code::kUnsupported);
}

TEST_CASE_METHOD(World, "Reindex replaces no file that is listed as another",
                 "[reindex][hostile]") {
  // The second shard is where the entry points of the first one would be.
  const std::string name = kPoints0;
  std::erase_if(shard().companions, [](const ManifestFile& file) {
    return file.path.ends_with(".sde");
  });
  manifest.splits[0].shards[1].file.path = name;
  manifest.variants.clear();
  PutManifest();
  CheckRefused(Code::kCorrupt);
}

TEST_CASE_METHOD(World, "Reindex replaces no file that nobody listed",
                 "[reindex][hostile]") {
  REQUIRE(Reindex(EntryPoints::kNone).ToString() == "OK");
  const std::string path = std::string("out/") + kPoints0;
  storage.Put(path, "the user's own");
  const Status status = Reindex(EntryPoints::kAuto);
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.where().path == path);
  CHECK(*storage.Get(path) == "the user's own");
}

TEST_CASE_METHOD(World, "Every verb refuses a manifest that leads elsewhere",
                 "[hostile]") {
  shard().companions = {{"../victim/secret.sdx", 16, {}}};
  PutManifest();
  ConvertOptions convert;
  convert.input = "out";
  convert.output = "made";
  CHECK(Convert(convert, {.storage = &storage}).status().code() ==
        Code::kCorrupt);
  VerifyOptions verify;
  verify.target = "out";
  const auto verified = Verify(verify, {.storage = &storage});
  REQUIRE(verified.ok());
  REQUIRE(verified->findings.size() == 1);
  CHECK_THAT(verified->findings[0].message(),
             Catch::Contains("\"../victim/secret.sdx\" is no path below"));
}

}  // namespace
}  // namespace shardine::reindex_hostile_test
