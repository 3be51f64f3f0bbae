#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "image/probe.h"
#include "image/recoder.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::variants_test {
namespace {

Result<PackResult> PackIn(Storage& storage, const PackOptions& options) {
  return Pack(options, {.storage = &storage});
}

struct Row {
  std::uint64_t id = 0;
  std::string shard;
  std::string key;
  std::vector<Label> labels;
  ImageFacts facts;
  std::string image;
};

std::vector<Row> RowsOf(Storage& storage, const std::string& folder) {
  const auto dataset = DatasetReader::Open(storage, folder);
  REQUIRE(dataset.status().ToString() == "OK");
  std::vector<Row> rows;
  for (const auto& shard : (*dataset)->shards()) {
    const auto index = (*dataset)->OpenIndex(shard);
    REQUIRE(index.ok());
    const auto file = storage.Open((*dataset)->ShardPath(shard));
    REQUIRE(file.ok());
    for (std::uint64_t r = 0; r < (*index)->size(); ++r) {
      const auto entry = (*index)->Entry(r);
      REQUIRE(entry.ok());
      ByteBuffer payload;
      REQUIRE(ReadPayload(**file, *entry, payload).ok());
      rows.push_back({entry->id, shard.shard->file.path, *(*index)->Key(r),
                      entry->labels, entry->facts,
                      std::string(AsText(payload.view()))});
    }
  }
  return rows;
}

VerifyResult VerifyIn(Storage& storage, const std::string& folder,
                      VerifyLevel level = VerifyLevel::kFull) {
  VerifyOptions options;
  options.target = folder;
  options.level = level;
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return *result;
}

struct World {
  World() { PutImages(storage, "tree"); }
  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "Pack makes each size a dataset like the original",
                 "[pack][variants]") {
  const auto result = PackIn(storage, VariantsOf("tree", "out"));
  REQUIRE(result.status().ToString() == "OK");
  const std::vector<Row> originals = RowsOf(storage, "out");
  REQUIRE(originals.size() == kImages);
  for (const std::uint32_t side : {16u, 24u}) {
    const std::string folder = "out/sz/" + std::to_string(side);
    const std::vector<Row> rows = RowsOf(storage, folder);
    REQUIRE(rows.size() == originals.size());
    Recoder recoder({}, {side});
    RecodedImage expected[1];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      INFO(folder << " " << rows[i].key);
      CHECK(rows[i].id == originals[i].id);
      CHECK(rows[i].shard == originals[i].shard);
      CHECK(rows[i].key == originals[i].key);
      CHECK(rows[i].labels == originals[i].labels);
      REQUIRE(recoder.Recode(AsBytes(originals[i].image), expected).made);
      CHECK(rows[i].image == AsText(expected[0].bytes.view()));
      const ImageFacts& facts = rows[i].facts;
      CHECK(std::min(facts.width, facts.height) == side);
      CHECK(facts == ProbeImage(AsBytes(rows[i].image)).facts);
    }
  }
}

TEST_CASE_METHOD(World, "Manifests say how sizes were made and of what",
                 "[pack][variants]") {
  const auto result = PackIn(storage, VariantsOf("tree", "out"));
  REQUIRE(result.ok());
  const Manifest root = ManifestOf(storage, "out");
  const Manifest size = ManifestOf(storage, "out/sz/16");
  CHECK(root.variant == ManifestVariant());
  REQUIRE(root.variants.size() == 2);
  CHECK(root.variants[0].path == "sz/16");
  CHECK(root.variants[0].content_digest == size.content_digest());
  CHECK(size.variant.name == "sz/16");
  CHECK(size.variant.short_side == 16);
  CHECK(size.variant.filter == "bilinear");
  CHECK(size.variant.quality == 90);
  CHECK(size.variant.images == Describe(ImageOptions()));
  CHECK(size.variant.parent_digest == root.content_digest());
  CHECK(size.variant.upscaled == kBelow16);
  CHECK(size.variant.kept == 0);
  CHECK(size.variants.empty());
  CHECK(size.names_digest() == root.names_digest());
  CHECK(size.order_digest() == root.order_digest());
  CHECK(size.classes == root.classes);
  CHECK(size.plan_digest != root.plan_digest);

  CHECK(result->content_digest == root.content_digest());
  REQUIRE(result->sizes.size() == 2);
  CHECK(result->sizes[1].path == "sz/24");
  CHECK(result->sizes[1].upscaled == kBelow24);
  CHECK(result->sizes[0].content_digest == size.content_digest());
  std::uint64_t bytes = 0;
  for (const Row& row : RowsOf(storage, "out/sz/16")) bytes += row.image.size();
  CHECK(result->sizes[0].bytes == bytes);
  CHECK(VerifyIn(storage, "out", VerifyLevel::kDeep).findings.empty());
}

TEST_CASE_METHOD(World, "Sizes leave the shards of the original as they are",
                 "[pack][variants]") {
  REQUIRE(PackIn(storage, VariantsOf("tree", "out")).ok());
  REQUIRE(PackIn(storage, PackOf("tree", "plain")).ok());
  const Snapshot plain = TakeSnapshot(storage, "plain");
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    if (name.ends_with(".rec")) {
      if (!name.starts_with("sz/")) CHECK(contents == plain.at(name));
    }
  }
  CHECK(ManifestOf(storage, "plain").content_digest() ==
        ManifestOf(storage, "out").content_digest());
}

TEST_CASE_METHOD(World, "Pack of sizes leaves nothing behind but datasets",
                 "[pack][variants]") {
  REQUIRE(PackIn(storage, VariantsOf("tree", "out")).ok());
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    INFO(name);
    const bool own = DirectoryOf(name).ends_with(".shardine");
    CHECK((own || !name.starts_with(".")));
    CHECK((own || name.find("/.") == std::string::npos));
    CHECK_FALSE(FileNameOf(name).starts_with("."));
  }
  CHECK_FALSE(storage.Stat("out/.pack").ok());
}

TEST_CASE_METHOD(World, "Sizes have the same bytes for any number of threads",
                 "[pack][variants]") {
  PackOptions options = VariantsOf("tree", "out1");
  options.threads = 1;
  REQUIRE(PackIn(storage, options).ok());
  const Snapshot expected = TakeSnapshot(storage, "out1");
  for (const unsigned threads : {2u, 7u}) {
    options.threads = threads;
    options.output = "out" + std::to_string(threads);
    REQUIRE(PackIn(storage, options).ok());
    CHECK(TakeSnapshot(storage, options.output) == expected);
  }
}

TEST_CASE_METHOD(World, "Sizes without the original are datasets of their own",
                 "[pack][variants]") {
  REQUIRE(PackIn(storage, VariantsOf("tree", "all")).ok());
  PackOptions options = VariantsOf("tree", "out");
  options.variants.original = false;
  const auto result = PackIn(storage, options);
  REQUIRE(result.status().ToString() == "OK");
  const Status root = DatasetReader::Open(storage, "out").status();
  CHECK(root.code() == Code::kNotFound);
  CHECK_THAT(root.message(), Catch::EndsWith("sz/16, sz/24"));
  const Manifest size = ManifestOf(storage, "out/sz/24");
  const Manifest same = ManifestOf(storage, "all/sz/24");
  CHECK(size.content_digest() == same.content_digest());
  CHECK(size.order_digest() == same.order_digest());
  CHECK(size.variant == same.variant);  // its parent's digest, too
  CHECK(result->content_digest == size.variant.parent_digest);
  CHECK(VerifyIn(storage, "out/sz/24").findings.empty());
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    CHECK(name.starts_with("sz/"));
  }
}

TEST_CASE_METHOD(World, "Sizes that are there already are not made again",
                 "[pack][variants]") {
  PackOptions options = VariantsOf("tree", "out");
  options.variants.original = GENERATE(true, false);
  const auto made = PackIn(storage, options);
  REQUIRE(made.ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  const auto again = PackIn(storage, options);
  REQUIRE(again.status().ToString() == "OK");
  CHECK(again->nothing_to_do);
  CHECK(again->content_digest == made->content_digest);
  REQUIRE(again->sizes.size() == 2);
  CHECK(again->sizes[0].upscaled == kBelow16);
  CHECK(TakeSnapshot(storage, "out") == before);
}

TEST_CASE_METHOD(World, "Other sizes or options are refused where some are",
                 "[pack][variants]") {
  PackOptions options = VariantsOf("tree", "out");
  const bool original = GENERATE(true, false);
  options.variants.original = original;
  REQUIRE(PackIn(storage, options).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  PackOptions other = options;
  SECTION("one more") { other.variants.short_sides = {16, 20, 24}; }
  SECTION("one less") { other.variants.short_sides = {16}; }
  SECTION("others") { other.variants.short_sides = {20}; }
  SECTION("another quality") { other.variants.image.quality = 80; }
  SECTION("another filter") { other.variants.image.filter = Filter::kBox; }
  SECTION("with or without the original") {
    other.variants.original = !original;
  }
  SECTION("the original alone") { other.variants = VariantOptions(); }
  SECTION("other shards") { other.shards = 2; }
  const Status refused = PackIn(storage, other).status();
  INFO(refused.ToString());
  CHECK(refused.code() == Code::kChanged);
  CHECK_THAT(refused.message(), Catch::Contains("choose another folder"));
  CHECK(TakeSnapshot(storage, "out") == before);
}

// Whether the first shard is finished there: its index is the last of its
// files.
bool HasFirstShard(Storage& storage, const std::string& folder) {
  return storage.Stat(folder + "/train-00000-of-00003.idx").ok();
}

TEST_CASE_METHOD(World, "A variant's finished shard is not redone with others",
                 "[pack][variants]") {
  const PackOptions options = VariantsOf("tree", "out");
  REQUIRE(PackIn(storage, options).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  bool found = false;
  for (std::uint64_t call = 100; !found; ++call) {
    MemoryStorage below;
    PutImages(below, "tree");
    FaultStorage dying(below, {.operation = Operation::kAny,
                               .call = call,
                               .effect = Fault::Effect::kCrash});
    REQUIRE_FALSE(PackIn(dying, options).ok());
    // Finished as original and at one size, not at the other.
    found =
        HasFirstShard(below, "out/sz/16") && !HasFirstShard(below, "out/sz/24");
    if (!found) continue;
    const auto inode = [&](const std::string& folder) {
      return below.Stat(folder + "/train-00000-of-00003.rec")->inode;
    };
    const std::uint64_t original = inode("out");
    const std::uint64_t size = inode("out/sz/16");
    REQUIRE(PackIn(below, options).status().ToString() == "OK");
    CHECK(inode("out") == original);
    CHECK(inode("out/sz/16") == size);
    CHECK(TakeSnapshot(below, "out") == whole);
  }
}

TEST_CASE_METHOD(World, "A size that was removed is made again, alone",
                 "[pack][variants]") {
  const PackOptions options = VariantsOf("tree", "out");
  REQUIRE(PackIn(storage, options).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  for (const auto& [name, contents] : before) {
    if (name.starts_with("sz/24/")) REQUIRE(storage.Remove("out/" + name).ok());
  }
  const auto shard = storage.Stat("out/sz/16/train-00000-of-00003.rec");
  const auto result = PackIn(storage, options);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == before);
  CHECK(storage.Stat("out/sz/16/train-00000-of-00003.rec")->inode ==
        shard->inode);
}

TEST_CASE_METHOD(World, "Images that are small enough are kept on request",
                 "[pack][variants]") {
  PackOptions options = VariantsOf("tree", "out");
  options.variants.image.upscale = false;
  const auto result = PackIn(storage, options);
  REQUIRE(result.ok());
  CHECK(result->sizes[0].upscaled == 0);
  CHECK(result->sizes[0].kept == kBelow16);
  CHECK(result->sizes[1].kept == kBelow24 + 1);  // one has just 24 pixels
  const std::vector<Row> originals = RowsOf(storage, "out");
  const std::vector<Row> rows = RowsOf(storage, "out/sz/16");
  int same = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    same += rows[i].image == originals[i].image ? 1 : 0;
  }
  CHECK(same == kBelow16);
}

TEST_CASE_METHOD(World, "Sizes are written in other formats, too",
                 "[pack][variants]") {
  PackOptions options = VariantsOf("tree", "out");
  // LMDB and HDF5 are written by their libraries, never into memory.
  options.format = GENERATE("tfrecord", "webdataset");
  REQUIRE(PackIn(storage, options).status().ToString() == "OK");
  CHECK(VerifyIn(storage, "out", VerifyLevel::kDeep).findings.empty());
}

TEST_CASE_METHOD(World, "Pack refuses sizes that are none",
                 "[pack][variants]") {
  PackOptions options = VariantsOf("tree", "out");
  SECTION("no variant at all") {
    options.variants = {.original = false, .short_sides = {}, .image = {}};
  }
  SECTION("zero") { options.variants.short_sides = {0}; }
  SECTION("twice") { options.variants.short_sides = {16, 16}; }
  SECTION("out of order") { options.variants.short_sides = {24, 16}; }
  CHECK(PackIn(storage, options).status().code() == Code::kInvalidArgument);
  CHECK(TakeSnapshot(storage, "out").empty());
}

TEST_CASE_METHOD(World, "Verify looks at the sizes along with the original",
                 "[pack][variants][verify]") {
  REQUIRE(PackIn(storage, VariantsOf("tree", "out")).ok());
  const VerifyResult sound = VerifyIn(storage, "out");
  CHECK(sound.findings.empty());
  CHECK(sound.samples == 3 * kImages);
  CHECK(sound.shards == 9);

  const auto findings = [&] {
    std::string text;
    for (const Status& finding : VerifyIn(storage, "out").findings) {
      text += finding.ToString() + "\n";
    }
    return text;
  };
  SECTION("a bit of a shard") {
    const std::string path = "out/sz/24/train-00001-of-00003.rec";
    std::string shard = *storage.Get(path);
    shard[shard.size() / 2] ^= 1;
    storage.Put(path, shard);
    CHECK_THAT(findings(), Catch::Contains(path));
  }
  SECTION("a size that is gone") {
    REQUIRE(storage.Remove("out/sz/24/shardine.json").ok());
    CHECK_THAT(findings(), Catch::Contains("out/sz/24: not a dataset"));
  }
  SECTION("a size of another pack") {
    PackOptions other = VariantsOf("tree", "other");
    other.variants.image.quality = 50;
    REQUIRE(PackIn(storage, other).ok());
    for (const auto& [name, contents] : TakeSnapshot(storage, "other/sz/24")) {
      storage.Put("out/sz/24/" + name, contents);
    }
    CHECK_THAT(findings(),
               Catch::Contains("holds other content than the manifest above"));
  }
  SECTION("a size of other originals") {
    Manifest manifest = ManifestOf(storage, "out/sz/24");
    manifest.variant.parent_digest += {1, 0};
    REQUIRE(WriteManifest(storage, "out/sz/24", manifest).ok());
    CHECK_THAT(findings(), Catch::Contains("made of other images"));
  }
}

TEST_CASE_METHOD(World, "Verify does not compare a size with a tree",
                 "[pack][variants][verify]") {
  REQUIRE(PackIn(storage, VariantsOf("tree", "out")).ok());
  VerifyOptions options;
  options.against = "tree";
  options.target = "out";
  const auto sound = Verify(options, {.storage = &storage});
  REQUIRE(sound.ok());
  CHECK(sound->findings.empty());
  options.target = "out/sz/16";
  CHECK(Verify(options, {.storage = &storage}).status().code() ==
        Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::variants_test
