// Datasets as they were written before: testdata/older_datasets. Copies, since
// some verbs write.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "dataset/manifest.h"
#include "io/local_storage.h"
#include "shardine/convert.h"
#include "shardine/diff.h"
#include "shardine/inspect.h"
#include "shardine/loader.h"
#include "shardine/making.h"
#include "shardine/reindex.h"
#include "shardine/resize.h"
#include "shardine/verify.h"
#include "support/temp_directory.h"

namespace shardine::older_manifest_test {
namespace {

const std::string kGolden = SHARDINE_TESTDATA "/older_datasets/";

class Golden {
 public:
  explicit Golden(const std::string& name) {
    std::filesystem::copy(kGolden + name, in(),
                          std::filesystem::copy_options::recursive);
  }

  std::string in() const { return temp_ / "in"; }
  std::string out() const { return temp_ / "out"; }
  std::string operator/(const std::string& name) const { return temp_ / name; }

 private:
  TempDirectory temp_;
};

Manifest ManifestOf(const std::string& directory) {
  auto manifest = ReadManifest(LocalStorage(), directory);
  REQUIRE(manifest.status().ToString() == "OK");
  return *std::move(manifest);
}

void CheckSound(const std::string& target, const std::string& against = "") {
  VerifyOptions options;
  options.target = target;
  options.level = VerifyLevel::kDeep;
  options.against = against;
  const auto verified = Verify(options);
  REQUIRE(verified.status().ToString() == "OK");
  for (const Status& finding : verified->findings) {
    FAIL_CHECK(finding.ToString());
  }
}

void CheckSame(const std::string& a, const std::string& b) {
  const auto diff = Diff(a, b, [](const Difference&) { return Status(); });
  REQUIRE(diff.status().ToString() == "OK");
  CHECK(diff->equal());
  CHECK(diff->notes.empty());
}

std::string AnySchema() {
  return GENERATE(as<std::string>(), "schema1", "schema2");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static_assert(std::is_same_v<Making, Provenance>, "the former name remains");
#pragma GCC diagnostic pop

TEST_CASE("Info of a golden dataset says its schema and what it knows",
          "[golden]") {
  const auto older = ReadDatasetInfo(kGolden + "schema1");
  REQUIRE(older.status().ToString() == "OK");
  CHECK(older->schema == 1);
  CHECK(older->samples == 5);
  CHECK(older->binding_digest == Digest128());
  CHECK(older->made == Provenance());
  const auto newer = ReadDatasetInfo(kGolden + "schema2");
  REQUIRE(newer.status().ToString() == "OK");
  CHECK(newer->schema == 2);
  CHECK(newer->binding_digest != Digest128());
  CHECK(newer->made.sources ==
        std::vector<std::string>{"train=source/train", "val=source/val"});
  CHECK(newer->content_digest == older->content_digest);
  CHECK(newer->names_digest == older->names_digest);
  CHECK(newer->order_digest == older->order_digest);
}

TEST_CASE("Golden datasets of all schemas are sound", "[golden][verify]") {
  CheckSound(kGolden + AnySchema(), kGolden + "source");
}

TEST_CASE("Golden datasets of all schemas have the same samples",
          "[golden][diff]") {
  CheckSame(kGolden + "schema1", kGolden + "schema2");
}

TEST_CASE("Golden datasets of all schemas are loaded", "[golden][load]") {
  const std::string path = kGolden + AnySchema();
  const std::string variant = GENERATE(as<std::string>(), "original", "sz/32");
  auto dataset = Dataset::Open(path, {.split = "train", .variant = variant});
  REQUIRE(dataset.status().ToString() == "OK");
  LoaderOptions options;
  options.batch_size = 3;
  options.transform = CenterCrop{16, 16, 0};
  auto loader = Loader::Create(*std::move(dataset), options);
  REQUIRE(loader.status().ToString() == "OK");
  const auto batch = (*loader)->Next();
  REQUIRE(batch.status().ToString() == "OK");
  REQUIRE(batch->has_value());
  CHECK((*batch)->size() == 3);
}

TEST_CASE("Golden datasets of all schemas are converted, to schema 2",
          "[golden][convert]") {
  const Golden golden(AnySchema());
  ConvertOptions options;
  options.input = golden.in();
  options.output = golden.out();
  options.format = "webdataset";
  REQUIRE(Convert(options).status().ToString() == "OK");
  CheckSame(golden.in(), golden.out());
  CheckSound(golden.out());
  const Manifest out = ManifestOf(golden.out());
  CHECK(out.schema == 2);
  CHECK(out.binding_digest() ==
        ManifestOf(kGolden + "schema2").binding_digest());
  // The same again finds itself.
  const auto again = Convert(options);
  REQUIRE(again.status().ToString() == "OK");
  CHECK(again->nothing_to_do);
}

TEST_CASE("Golden datasets of all schemas are merged", "[golden][convert]") {
  const Golden golden("schema1");
  MergeOptions options;
  options.inputs = {golden.in(), kGolden + "schema2"};
  options.output = golden.out();
  options.key_prefix = "{name}/";
  REQUIRE(Merge(options).status().ToString() == "OK");
  CheckSound(golden.out());
  CHECK(ManifestOf(golden.out()).samples() == 10);
}

TEST_CASE("Golden datasets of all schemas are relabelled",
          "[golden][convert]") {
  const Golden golden(AnySchema());
  RelabelOptions options;
  options.input = golden.in();
  options.output = golden.out();
  options.list = golden / "list.lst";
  std::ofstream(options.list) << "0\t1\tdrawn/gray.jpg\n";
  REQUIRE(Relabel(options).status().ToString() == "OK");
  CheckSound(golden.out());
}

TEST_CASE("Golden datasets of all schemas are resized", "[golden][resize]") {
  const Golden golden(AnySchema());
  ResizeShardsOptions options;
  options.source.folders = {{"train", golden.in()}};
  options.output = golden.out();
  options.short_sides = {16};
  REQUIRE(ResizeShards(options).status().ToString() == "OK");
  CheckSound(golden.out() + "/sz/16");
}

TEST_CASE("Reindex leaves a golden dataset at its schema",
          "[golden][reindex]") {
  const std::string schema = AnySchema();
  const Golden golden(schema);
  const Manifest before = ManifestOf(golden.in());
  ReindexOptions options;
  options.dataset = golden.in();
  options.entry_points = EntryPoints::kNone;
  REQUIRE(Reindex(options).status().ToString() == "OK");
  CHECK(ManifestOf(golden.in()).schema == before.schema);
  CHECK(ManifestOf(golden.in()).entry_points == EntryPointCounts());
  CheckSound(golden.in());
  options.entry_points = EntryPoints::kAuto;
  REQUIRE(Reindex(options).status().ToString() == "OK");
  CHECK(ManifestOf(golden.in()) == before);
  CheckSound(golden.in());
}

}  // namespace
}  // namespace shardine::older_manifest_test
