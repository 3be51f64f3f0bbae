// The counts of a manifest are compared with the samples.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/pack_fixture.h"
#include "support/png_maker.h"

namespace shardine::verified_counts_test {
namespace {

using Change = std::function<void(ManifestSplit&)>;

const std::string kJxl = "\xFF\x0A" + std::string(40, '\0');

// The dataset has two 16-bit images and two GIFs.
Manifest PackCounted(MemoryStorage& storage) {
  storage.Put("tree/a/deep.png", MakePng({.bits = 16}));
  storage.Put("tree/a/jxl.jpg", kJxl);
  storage.Put("tree/b/deep.png", MakePng({.bits = 16, .color_type = 0}));
  storage.Put("tree/b/jxl.jpg", kJxl);
  PackOptions options = PackOf("tree", "out");
  options.check = ImageCheckLevel::kNone;
  const auto packed = Pack(options, {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
  return ManifestOf(storage, "out");
}

std::vector<Status> Findings(MemoryStorage& storage) {
  VerifyOptions options;
  options.target = "out";
  const auto verified = Verify(options, {.storage = &storage});
  REQUIRE(verified.status().ToString() == "OK");
  return verified->findings;
}

TEST_CASE("Verify finds counts of a manifest that samples do not have, B9",
          "[contents][verify]") {
  MemoryStorage storage;
  const Manifest packed = PackCounted(storage);
  CHECK(packed.splits[0].deep == 2);
  REQUIRE(packed.splits[0].unsupported ==
          std::vector<ManifestKind>{{"jxl", 2}});
  CHECK(Findings(storage).empty());
  const std::vector<Change> changes = {
      [](ManifestSplit& split) { split.deep = 1; },
      [](ManifestSplit& split) { split.unlabelled = 1; },
      [](ManifestSplit& split) {
        split.lacking = {{"image", 1}};
      },
      [](ManifestSplit& split) { split.unsupported[0].count = 1; },
      [](ManifestSplit& split) { split.unsupported[0].kind = "webp"; },
  };
  for (const Change& change : changes) {
    Manifest forged = packed;
    change(forged.splits[0]);
    REQUIRE(WriteManifest(storage, "out", forged).ok());
    const auto findings = Findings(storage);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].code() == Code::kCorrupt);
    CHECK_THAT(findings[0].message(), Catch::Contains("do not add up"));
  }
}

TEST_CASE("Verify takes a manifest of before the counts",
          "[contents][verify]") {
  MemoryStorage storage;
  Manifest older = PackCounted(storage);
  older.splits[0].deep = 0;
  older.splits[0].unsupported.clear();
  REQUIRE(WriteManifest(storage, "out", older).ok());
  CHECK(Findings(storage).empty());
}

}  // namespace
}  // namespace shardine::verified_counts_test
