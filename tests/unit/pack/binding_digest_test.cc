// A swap that no other digest sees: two samples that exchanged their contents.
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "dataset/dataset_reader.h"
#include "dataset/manifest.h"
#include "pack/journal.h"
#include "shard/content_digest.h"
#include "shardine/convert.h"
#include "shardine/diff.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/seal_sidecar.h"

namespace shardine::binding_digest_test {
namespace {

constexpr std::size_t kRowDigest = 8;  // in a row of the sidecar

// Two images of one class and one size.
void PutTwoSamples(MemoryStorage& storage, const std::string& tree,
                   bool swapped) {
  PutTree(storage, tree, 2, 6, 500);
  storage.Put(tree + "/class0/x.jpg", swapped ? "other twin" : "first twin");
  storage.Put(tree + "/class0/y.jpg", swapped ? "first twin" : "other twin");
}

void PackInto(MemoryStorage& storage, const std::string& tree,
              const std::string& output) {
  const auto packed = Pack(PackOf(tree, output), {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
}

std::vector<Status> Findings(Storage& storage, VerifyOptions options) {
  auto verified = Verify(options, {.storage = &storage});
  REQUIRE(verified.status().ToString() == "OK");
  return verified->findings;
}

TEST_CASE("Swapped contents change the binding digest and no other one",
          "[binding]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "a", false);
  PutTwoSamples(storage, "b", true);
  PackInto(storage, "a", "in");
  PackInto(storage, "b", "swapped");
  const Manifest in = ManifestOf(storage, "in");
  const Manifest swapped = ManifestOf(storage, "swapped");
  CHECK(in.content_digest() == swapped.content_digest());
  CHECK(in.names_digest() == swapped.names_digest());
  CHECK(in.order_digest() == swapped.order_digest());
  CHECK(in.plan_digest == swapped.plan_digest);
  CHECK_FALSE(in.binding_digest() == swapped.binding_digest());
}

TEST_CASE("The binding digest is the sum over the samples", "[binding]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "tree", false);
  PackInto(storage, "tree", "in");
  const auto reader = DatasetReader::Open(storage, "in");
  REQUIRE(reader.ok());
  Digest128 sum;
  for (const DatasetReader::ShardRef& ref : (*reader)->shards()) {
    const auto index = (*reader)->OpenIndex(ref);
    REQUIRE(index.ok());
    std::vector<std::string> keys;
    REQUIRE((*index)->Keys(0, (*index)->size(), keys).ok());
    for (std::uint64_t r = 0; r < (*index)->size(); ++r) {
      const auto entry = (*index)->Entry(r);
      REQUIRE(entry.ok());
      sum += BindingDigest(entry->id, "train", keys[r], entry->content_digest);
    }
  }
  CHECK(sum == (*reader)->manifest().binding_digest());
}

TEST_CASE("Verify finds files of a dataset whose samples swapped contents",
          "[binding][verify]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "a", false);
  PutTwoSamples(storage, "b", true);
  PackInto(storage, "a", "in");
  PackInto(storage, "b", "swapped");
  // All files and their digests, but the binding digest of before.
  Manifest forged = ManifestOf(storage, "swapped");
  forged.splits[0].binding_digest =
      ManifestOf(storage, "in").splits[0].binding_digest;
  REQUIRE(WriteManifest(storage, "swapped", forged).ok());
  VerifyOptions options;
  options.target = "swapped";
  const auto findings = Findings(storage, options);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].code() == Code::kCorrupt);
  CHECK_THAT(findings[0].message(), Catch::Contains("do not add up"));
}

TEST_CASE("Convert refuses a dataset whose samples swapped contents",
          "[binding][convert]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "a", false);
  PutTwoSamples(storage, "b", true);
  PackInto(storage, "a", "in");
  PackInto(storage, "b", "swapped");
  Manifest forged = ManifestOf(storage, "swapped");
  forged.splits[0].binding_digest =
      ManifestOf(storage, "in").splits[0].binding_digest;
  REQUIRE(WriteManifest(storage, "swapped", forged).ok());
  ConvertOptions options;
  options.input = "swapped";
  options.output = "out";
  const Status status = Convert(options, {.storage = &storage}).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == "swapped/shardine.json");
  CHECK_FALSE(storage.Get("out/shardine.json").ok());
}

TEST_CASE("Diff refuses a dataset whose samples swapped contents",
          "[binding][diff]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "a", false);
  PutTwoSamples(storage, "b", true);
  PackInto(storage, "a", "in");
  PackInto(storage, "b", "swapped");
  const auto visit = [](const Difference&) { return Status(); };
  const auto found = Diff("in", "swapped", visit, {.storage = &storage});
  REQUIRE(found.status().ToString() == "OK");
  CHECK(found->changed == 2);
  Manifest forged = ManifestOf(storage, "swapped");
  forged.splits[0].binding_digest =
      ManifestOf(storage, "in").splits[0].binding_digest;
  REQUIRE(WriteManifest(storage, "swapped", forged).ok());
  const Status status =
      Diff("in", "swapped", visit, {.storage = &storage}).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == "swapped/shardine.json");
}

TEST_CASE("Convert of a dataset with swapped contents is another conversion",
          "[binding][convert]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "a", false);
  PutTwoSamples(storage, "b", true);
  PackInto(storage, "a", "in");
  PackInto(storage, "b", "swapped");
  ConvertOptions options;
  options.input = "in";
  options.output = "out";
  REQUIRE(Convert(options, {.storage = &storage}).ok());
  CHECK(ManifestOf(storage, "out").binding_digest() ==
        ManifestOf(storage, "in").binding_digest());
  options.input = "swapped";
  const Status status = Convert(options, {.storage = &storage}).status();
  CHECK(status.code() == Code::kChanged);
}

// Exchanges the content digests of two rows of a sidecar.
std::string SwapDigests(std::string sidecar, std::size_t a, std::size_t b) {
  const auto at = [](std::size_t row) {
    return kPageBytes + row * kIndexRowBytes + kRowDigest;
  };
  for (std::size_t i = 0; i < 16; ++i) {
    std::swap(sidecar[at(a) + i], sidecar[at(b) + i]);
  }
  SealSidecar(sidecar);
  return sidecar;
}

TEST_CASE("Convert proves the shards that an earlier run finished, too",
          "[binding][convert]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "tree", false);
  PackInto(storage, "tree", "in");
  ConvertOptions options;
  options.input = "in";
  options.output = "out";
  // Everything but the manifest, which is renamed last.
  FaultStorage counted(storage, {.call = UINT64_MAX});
  options.output = "counted";
  REQUIRE(Convert(options, {.storage = &counted}).ok());
  FaultStorage failing(storage,
                       {.operation = Operation::kRename,
                        .call = counted.calls(Operation::kRename) - 1});
  options.output = "out";
  REQUIRE_FALSE(Convert(options, {.storage = &failing}).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  REQUIRE_FALSE(before.contains(kManifestName));
  options.output = "lying";
  std::string path;
  for (const auto& [name, content] : before) {
    const bool lies = path.empty() && name.ends_with(".sdx");
    if (lies) path = name;
    storage.Put("lying/" + name, lies ? SwapDigests(content, 0, 1) : content);
  }
  REQUIRE_FALSE(path.empty());
  const Status status = Convert(options, {.storage = &storage}).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.message(), Catch::Contains("do not hold the samples"));
  CHECK_FALSE(storage.Get("lying/shardine.json").ok());
}

TEST_CASE("Merge and relabel keep what binds names to contents",
          "[binding][convert]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "tree", false);
  PackInto(storage, "tree", "in");
  storage.Put("list.lst", "0\t1\tclass0/0.jpg\n");
  RelabelOptions relabel;
  relabel.input = "in";
  relabel.output = "relabelled";
  relabel.list = "list.lst";
  REQUIRE(Relabel(relabel, {.storage = &storage}).status().ToString() == "OK");
  MergeOptions merge;
  merge.inputs = {"in", "relabelled"};
  merge.output = "both";
  merge.key_prefix = "{name}/";
  REQUIRE(Merge(merge, {.storage = &storage}).status().ToString() == "OK");
  for (const char* name : {"relabelled", "both"}) {
    VerifyOptions options;
    options.target = name;
    CHECK(Findings(storage, options).empty());
    CHECK(ManifestOf(storage, name).has_bindings());
  }
}

TEST_CASE("Verify binds a variant to what the original's manifest says of it",
          "[binding][verify]") {
  MemoryStorage storage;
  PutTwoSamples(storage, "a", false);
  PackInto(storage, "a", "in");
  Manifest child = ManifestOf(storage, "in");
  PutTwoSamples(storage, "b", true);
  PackInto(storage, "b", "in/sz/160");
  Manifest manifest = ManifestOf(storage, "in/sz/160");
  manifest.variant.parent_digest = child.content_digest();
  REQUIRE(WriteManifest(storage, "in/sz/160", manifest).ok());
  child.variants = {
      {"sz/160", manifest.content_digest(), child.binding_digest()}};
  REQUIRE(WriteManifest(storage, "in", child).ok());
  VerifyOptions options;
  options.target = "in";
  options.level = VerifyLevel::kQuick;
  const auto findings = Findings(storage, options);
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].message(), Catch::Contains("other content"));
}

}  // namespace
}  // namespace shardine::binding_digest_test
