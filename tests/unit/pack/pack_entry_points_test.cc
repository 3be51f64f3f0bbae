// Entry points as a part of the verbs that make datasets: of which images, in
// which files, and with the other files unchanged.

#include <algorithm>
#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "image/image_checker.h"
#include "shardine/convert.h"
#include "shardine/pack.h"
#include "shardine/resize.h"
#include "shardine/verify.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/png_maker.h"
#include "support/variant_fixture.h"

namespace shardine::pack_entry_points_test {
namespace {

// Images of PutImages() that are neither progressive nor PNGs.
constexpr std::uint64_t kWithPoints = 7;

Result<PackResult> Pack(Storage& storage, const PackOptions& options) {
  return shardine::Pack(options, {.storage = &storage});
}

// Sound below `folder`, deep; the notes.
std::vector<std::string> NotesOfSound(Storage& storage,
                                      const std::string& folder) {
  VerifyOptions options;
  options.target = folder;
  options.level = VerifyLevel::kDeep;
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  for (const Status& finding : result->findings) {
    FAIL_CHECK(finding.ToString());
  }
  return result->notes;
}

Manifest ManifestIn(Storage& storage, const std::string& folder) {
  const auto manifest = ReadManifest(storage, folder);
  REQUIRE(manifest.status().ToString() == "OK");
  return *manifest;
}

// The files of that kind among the companions of all shards.
std::size_t EntryPointFiles(const Manifest& manifest) {
  std::size_t files = 0;
  for (const ManifestSplit& split : manifest.splits) {
    for (const ManifestShard& shard : split.shards) {
      files += DatasetReader::EntryPointsOf(shard) == nullptr ? 0 : 1;
    }
  }
  return files;
}

// The files that do not depend on the plan's digest.
Snapshot OnlyShards(const Snapshot& all) {
  Snapshot shards;
  for (const auto& [name, contents] : all) {
    if (name.ends_with(".rec") || name.ends_with(".idx")) {
      shards[name] = contents;
    }
  }
  return shards;
}

std::size_t CountSuffix(const Snapshot& all, const std::string& suffix) {
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(),
      [&](const auto& file) { return file.first.ends_with(suffix); }));
}

// A good header, and half of the scan.
std::string DamagedJpeg() {
  const std::string whole = MakeJpeg({.width = 90, .height = 70, .seed = 77});
  return whole.substr(0, whole.size() / 2) + "\xFF\xD9";
}

TEST_CASE("Shards are the same bytes with entry points and without",
          "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  PackOptions with = VariantsOf("tree", "with");
  PackOptions without = VariantsOf("tree", "without");
  without.entry_points = EntryPoints::kNone;
  const auto made = Pack(storage, with);
  const auto bare = Pack(storage, without);
  REQUIRE(made.status().ToString() == "OK");
  REQUIRE(bare.status().ToString() == "OK");
  CHECK(made->content_digest == bare->content_digest);
  const Snapshot a = TakeSnapshot(storage, "with");
  const Snapshot b = TakeSnapshot(storage, "without");
  CHECK(OnlyShards(a).size() == 18);
  CHECK(OnlyShards(a) == OnlyShards(b));
  CHECK(CountSuffix(a, ".sde") == 9);
  CHECK(CountSuffix(b, ".sde") == 0);
  CHECK(made->entry_points == EntryPointCounts{.images = kWithPoints});
  CHECK(bare->entry_points == EntryPointCounts());
  for (const std::string folder : {"", "/sz/16", "/sz/24"}) {
    const Manifest listed = ManifestIn(storage, "with" + folder);
    const Manifest none = ManifestIn(storage, "without" + folder);
    CHECK(EntryPointFiles(listed) == 3);
    CHECK(EntryPointFiles(none) == 0);
    CHECK(none.entry_points == EntryPointCounts());
    CHECK(listed.content_digest() == none.content_digest());
    CHECK(listed.names_digest() == none.names_digest());
    CHECK(listed.order_digest() == none.order_digest());
  }
  CHECK(NotesOfSound(storage, "with").empty());
  CHECK(NotesOfSound(storage, "without").empty());
}

TEST_CASE("All images of a size get entry points, as they are all baseline",
          "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  const auto made = Pack(storage, VariantsOf("tree", "out"));
  REQUIRE(made.status().ToString() == "OK");
  REQUIRE(made->sizes.size() == 2);
  for (const SizeResult& size : made->sizes) {
    CHECK(size.entry_points == EntryPointCounts{.images = kImages});
  }
  CHECK(ManifestIn(storage, "out/sz/16").entry_points.images == kImages);
}

TEST_CASE("A sample has the entry points that its image gives",
          "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  REQUIRE(Pack(storage, PackOf("tree", "out")).ok());
  const auto dataset = DatasetReader::Open(storage, "out");
  REQUIRE(dataset.ok());
  ImageChecker checker({.find_entry_points = true});
  std::uint64_t seen = 0;
  for (const auto& ref : (*dataset)->shards()) {
    const auto index = (*dataset)->OpenIndex(ref);
    REQUIRE(index.ok());
    const auto points = (*dataset)->OpenEntryPoints(ref, **index);
    REQUIRE(points.ok());
    REQUIRE(*points != nullptr);
    for (std::uint64_t record = 0; record < (*index)->size(); ++record) {
      const auto entry = (*index)->Entry(record);
      const auto key = (*index)->Key(record);
      REQUIRE(key.ok());
      const std::string image = *storage.Get("tree/" + *key);
      ByteBuffer packed;
      REQUIRE((*points)->Read(record, entry->payload_crc, packed).ok());
      CHECK(AsText(packed.view()) ==
            checker.Check(AsBytes(image)).entry_points);
      seen += packed.view().empty() ? 0 : 1;
    }
  }
  CHECK(seen == kWithPoints);
}

TEST_CASE("A shard without an image that can have entry points has no file",
          "[pack][entry_points]") {
  MemoryStorage storage;
  SECTION("PNGs") {
    storage.Put("tree/a/0.png", MakePng({.width = 30, .height = 20}));
    storage.Put("tree/a/1.png", MakePng({.width = 20, .height = 30}));
  }
  SECTION("progressive JPEGs") {
    storage.Put("tree/a/0.jpg", MakeJpeg({.progressive = true}));
  }
  PackOptions options = PackOf("tree", "out");
  options.shards = 1;
  const auto made = Pack(storage, options);
  REQUIRE(made.status().ToString() == "OK");
  CHECK(made->entry_points == EntryPointCounts());
  CHECK(CountSuffix(TakeSnapshot(storage, "out"), ".sde") == 0);
  CHECK(NotesOfSound(storage, "out").empty());
}

TEST_CASE("Sizes made as PNG have no entry points", "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  PackOptions options = VariantsOf("tree", "out");
  options.variants.image.encoding = Encoding::kPng;
  const auto made = Pack(storage, options);
  REQUIRE(made.status().ToString() == "OK");
  CHECK(made->entry_points.images == kWithPoints);
  CHECK(EntryPointFiles(ManifestIn(storage, "out")) == 3);
  CHECK(EntryPointFiles(ManifestIn(storage, "out/sz/16")) == 0);
}

TEST_CASE("A damaged JPEG is packed without entry points and counted",
          "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  storage.Put("tree/class0/bad.jpg", DamagedJpeg());
  PackOptions options = PackOf("tree", "out");
  options.check = ImageCheckLevel::kHeader;
  const auto made = Pack(storage, options);
  REQUIRE(made.status().ToString() == "OK");
  CHECK(made->samples == kImages + 1);
  CHECK(made->rejected.empty());
  const EntryPointCounts counts{.images = kWithPoints, .damaged = 1};
  CHECK(made->entry_points == counts);
  CHECK(ManifestIn(storage, "out").entry_points == counts);

  SECTION("the same where a decode found it and it was kept") {
    options.output = "kept";
    options.check = ImageCheckLevel::kDecode;
    options.on_bad = OnBad::kKeep;
    const auto kept = Pack(storage, options);
    REQUIRE(kept.status().ToString() == "OK");
    CHECK(kept->entry_points == counts);
    CHECK(NotesOfSound(storage, "kept").size() == 1);
  }
  SECTION("not where it is left out") {
    options.output = "skipped";
    options.check = ImageCheckLevel::kDecode;
    options.on_bad = OnBad::kSkip;
    const auto skipped = Pack(storage, options);
    REQUIRE(skipped.status().ToString() == "OK");
    CHECK(skipped->samples == kImages);
    CHECK(skipped->entry_points == EntryPointCounts{.images = kWithPoints});
    CHECK(NotesOfSound(storage, "skipped").empty());
  }
}

TEST_CASE("What is bad does not depend on entry points",
          "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  storage.Put("tree/class0/bad.jpg", DamagedJpeg());
  storage.Put("tree/class1/cut.jpg", MakeJpeg().substr(0, 600));
  storage.Put("tree/class2/page.jpg", "<html></html>");
  const auto level = GENERATE(ImageCheckLevel::kNone, ImageCheckLevel::kHeader,
                              ImageCheckLevel::kDecode);
  const auto on_bad = GENERATE(OnBad::kSkip, OnBad::kKeep);
  PackOptions options = PackOf("tree", "with");
  options.check = level;
  options.on_bad = on_bad;
  const auto with = Pack(storage, options);
  options.output = "without";
  options.entry_points = EntryPoints::kNone;
  const auto without = Pack(storage, options);
  REQUIRE(with.status().ToString() == "OK");
  REQUIRE(without.status().ToString() == "OK");
  CHECK(with->content_digest == without->content_digest);
  const Snapshot a = TakeSnapshot(storage, "with");
  const Snapshot b = TakeSnapshot(storage, "without");
  CHECK(OnlyShards(a) == OnlyShards(b));
  CHECK(a.contains("rejected.jsonl") == b.contains("rejected.jsonl"));
  if (a.contains("rejected.jsonl")) {
    CHECK(a.at("rejected.jsonl") == b.at("rejected.jsonl"));
  }
}

TEST_CASE("Entry points are the same bytes for any number of threads",
          "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  Snapshot first;
  for (const unsigned threads : {1u, 2u, 7u}) {
    PackOptions options = VariantsOf("tree", "out" + std::to_string(threads));
    options.threads = threads;
    REQUIRE(Pack(storage, options).ok());
    const Snapshot made = TakeSnapshot(storage, options.output);
    if (first.empty()) first = made;
    CHECK(made == first);
  }
}

TEST_CASE("A pack with and one without entry points are two plans",
          "[pack][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  PackOptions options = PackOf("tree", "out");
  REQUIRE(Pack(storage, options).ok());
  CHECK(Pack(storage, options)->nothing_to_do);
  options.entry_points = EntryPoints::kNone;
  CHECK(Pack(storage, options).status().code() == Code::kChanged);
}

TEST_CASE("Datasets made of others get entry points of their own",
          "[convert][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  PackOptions bare = PackOf("tree", "in");
  const auto had = GENERATE(EntryPoints::kAuto, EntryPoints::kNone);
  bare.entry_points = had;
  REQUIRE(Pack(storage, bare).ok());
  const auto wanted = GENERATE(EntryPoints::kAuto, EntryPoints::kNone);
  Result<PackResult> made = Status();
  std::uint64_t images = kWithPoints;
  SECTION("convert") {
    ConvertOptions options;
    options.input = "in";
    options.output = "out";
    options.format = GENERATE("tfrecord", "hdf5", "recordio");
    options.entry_points = wanted;
    made = Convert(options, {.storage = &storage});
  }
  SECTION("merge") {
    MergeOptions options;
    options.inputs = {"in", "in"};
    options.output = "out";
    PutImages(storage, "other");
    PackOptions second = PackOf("other", "in2");
    second.source.folders = {{"val", "other"}};
    REQUIRE(Pack(storage, second).ok());
    options.inputs = {"in", "in2"};
    options.entry_points = wanted;
    images *= 2;
    made = Merge(options, {.storage = &storage});
  }
  SECTION("relabel") {
    RelabelOptions options;
    options.input = "in";
    options.output = "out";
    std::string list;
    for (int id = 0; id < kImages; ++id) {
      list += std::to_string(id) + "\t1\tx\n";
    }
    storage.Put("l.lst", list);
    options.list = "l.lst";
    options.by = MatchBy::kId;
    options.entry_points = wanted;
    made = Relabel(options, {.storage = &storage});
  }
  REQUIRE(made.status().ToString() == "OK");
  const bool some = wanted == EntryPoints::kAuto;
  CHECK(made->entry_points == EntryPointCounts{.images = some ? images : 0});
  const Manifest manifest = ManifestIn(storage, "out");
  CHECK(manifest.entry_points == made->entry_points);
  CHECK((EntryPointFiles(manifest) > 0) == some);
  CHECK(NotesOfSound(storage, "out").empty());
}

TEST_CASE("Conversion to pixels leaves no entry points",
          "[convert][entry_points]") {
  MemoryStorage storage;
  for (int i = 0; i < 3; ++i) {
    storage.Put("tree/a/" + std::to_string(i) + ".jpg",
                MakeJpeg({.seed = static_cast<std::uint32_t>(i + 1)}));
  }
  REQUIRE(Pack(storage, PackOf("tree", "in")).ok());
  ConvertOptions options;
  options.input = "in";
  options.output = "out";
  options.format = "hdf5/array";
  const auto made = Convert(options, {.storage = &storage});
  REQUIRE(made.status().ToString() == "OK");
  CHECK(made->entry_points == EntryPointCounts());
  CHECK(EntryPointFiles(ManifestIn(storage, "out")) == 0);
}

TEST_CASE("Resize to shards finds entry points of the sizes alone",
          "[resize][entry_points]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  std::string source = "tree";
  SECTION("of a tree") {}
  SECTION("of a dataset") {
    REQUIRE(Pack(storage, PackOf("tree", "in")).ok());
    source = "in";
  }
  ResizeShardsOptions options;
  options.source.folders = {{"train", source}};
  options.output = "out";
  options.short_sides = {16};
  const bool some = GENERATE(true, false);
  options.entry_points = some ? EntryPoints::kAuto : EntryPoints::kNone;
  const auto made = ResizeShards(options, {.storage = &storage});
  REQUIRE(made.status().ToString() == "OK");
  CHECK(made->entry_points == EntryPointCounts());
  REQUIRE(made->sizes.size() == 1);
  const std::uint64_t images = some ? kImages : 0;
  CHECK(made->sizes[0].entry_points == EntryPointCounts{.images = images});
  CHECK(NotesOfSound(storage, "out/sz/16").empty());
}

}  // namespace
}  // namespace shardine::pack_entry_points_test
