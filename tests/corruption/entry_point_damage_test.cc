// Damage to entry points: verify names the file, reindex mends it, and a reader
// gets an error or the points of the sample.

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shardine/pack.h"
#include "support/entry_point_fixture.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/sanitized.h"
#include "support/variant_fixture.h"
#include "support/verify_findings.h"

namespace shardine::entry_point_damage_test {
namespace {

constexpr std::size_t kStep = kSanitized ? 97 : 1;

constexpr char kPoints0[] = "out/.shardine/train-00000-of-00003.rec.sde";
constexpr char kPoints1[] = "out/.shardine/train-00001-of-00003.rec.sde";

void PackInto(MemoryStorage& storage, const std::string& output,
              const std::string& tree = "tree") {
  const PackOptions options = PackOf(tree, output);
  const auto made = Pack(options, {.storage = &storage});
  REQUIRE(made.status().ToString() == "OK");
}

struct World {
  World() {
    PutImages(storage, "tree");
    PackInto(storage, "out");
    whole = *storage.Get(kPoints0);
  }

  std::vector<Status> Findings(VerifyLevel level = VerifyLevel::kFull) {
    return FindingsOf(storage, level);
  }
  bool Finds(const std::string& path, VerifyLevel level = VerifyLevel::kFull) {
    const auto findings = Findings(level);
    return std::ranges::any_of(findings, [&](const Status& finding) {
      return finding.where().path == path;
    });
  }
  // Every sample's points, by record; empty where reading them failed.
  std::vector<std::string> ReadAll() {
    std::vector<std::string> all;
    const auto dataset = DatasetReader::Open(storage, "out");
    REQUIRE(dataset.ok());
    const auto& ref = (*dataset)->shards().front();
    const auto index = (*dataset)->OpenIndex(ref);
    REQUIRE(index.ok());
    const auto points = (*dataset)->OpenEntryPoints(ref, **index);
    for (std::uint64_t record = 0; record < (*index)->size(); ++record) {
      all.emplace_back();
      const auto entry = (*index)->Entry(record);
      ByteBuffer packed;
      if (!points.ok()) continue;
      if (!(*points)->Read(record, entry->payload_crc, packed).ok()) continue;
      all.back() = AsText(packed.view());
    }
    return all;
  }
  void Put(const std::string& contents) { storage.Put(kPoints0, contents); }

  MemoryStorage storage;
  std::string whole;  // of kPoints0
};

TEST_CASE_METHOD(World,
                 "Verify finds a changed bit in any byte of entry points",
                 "[corruption][verify][entry_points]") {
  REQUIRE(Findings(VerifyLevel::kDeep).empty());
  std::size_t missed = 0;
  for (std::size_t byte = 0; byte < whole.size(); byte += kStep) {
    std::string damaged = whole;
    damaged[byte] ^= static_cast<char>(1 << byte % 8);
    Put(damaged);
    missed += Finds(kPoints0) ? 0 : 1;
  }
  CHECK(missed == 0);
}

TEST_CASE_METHOD(World, "Damaged entry points are never taken for others",
                 "[corruption][entry_points]") {
  const std::vector<std::string> good = ReadAll();
  std::size_t wrong = 0;
  for (std::size_t byte = 0; byte < whole.size(); byte += kStep) {
    std::string damaged = whole;
    damaged[byte] ^= static_cast<char>(1 << byte % 8);
    Put(damaged);
    const std::vector<std::string> read = ReadAll();
    REQUIRE(read.size() == good.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      wrong += read[i].empty() || read[i] == good[i] ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(World, "Verify finds entry points that were cut or have grown",
                 "[corruption][verify][entry_points]") {
  std::size_t missed = 0;
  for (std::size_t size = 0; size < whole.size(); size += kStep) {
    Put(whole.substr(0, size));
    missed += Finds(kPoints0, VerifyLevel::kQuick) ? 0 : 1;
  }
  CHECK(missed == 0);
  for (const std::string& grown : {whole + '\0', whole + whole}) {
    Put(grown);
    CHECK(Finds(kPoints0, VerifyLevel::kQuick));
    CHECK(Finds(kPoints0));
  }
  REQUIRE(storage.Remove(kPoints0).ok());
  CHECK(Finds(kPoints0, VerifyLevel::kQuick));
  CHECK(Finds(kPoints0));
}

TEST_CASE_METHOD(World, "Verify finds entry points of another shard or dataset",
                 "[corruption][verify][entry_points]") {
  SECTION("swapped between two shards") {
    Put(*storage.Get(kPoints1));
    storage.Put(kPoints1, whole);
    CHECK(Finds(kPoints1, VerifyLevel::kQuick));
    CHECK(Finds(kPoints1));
  }
  SECTION("of a pack of the same shards by another plan") {
    // Keys are in plans, and in no RecordIO shard.
    for (const auto& [name, contents] : TakeSnapshot(storage, "tree")) {
      storage.Put("renamed/" + name + ".jpg", contents);
    }
    PackInto(storage, "other", "renamed");
    REQUIRE(*storage.Get("other/train-00000-of-00003.rec") ==
            *storage.Get("out/train-00000-of-00003.rec"));
    Put(*storage.Get("other/.shardine/train-00000-of-00003.rec.sde"));
  }
  SECTION("of a dataset of other pictures") {
    for (const auto& [name, contents] : TakeSnapshot(storage, "tree")) {
      storage.Put("tree/" + name,
                  MakeJpeg({.width = 40, .height = 53, .seed = 99}));
    }
    PackInto(storage, "other");
    Put(*storage.Get("other/.shardine/train-00000-of-00003.rec.sde"));
  }
  CHECK(Finds(kPoints0, VerifyLevel::kQuick));
  CHECK(Finds(kPoints0));
  for (const std::string& points : ReadAll()) CHECK(points.empty());
}

TEST_CASE_METHOD(World, "Verify finds points that were forged to fit",
                 "[corruption][verify][entry_points]") {
  // Another bit in the first image that has entry points, with CRCs that fit.
  std::string forged = whole;
  forged[0] ^= 1;
  SealEntryPoints(forged);
  Put(forged);
  CHECK(Finds(kPoints0));  // the manifest has another digest

  const auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  Manifest lying = *manifest;
  for (ManifestFile& file : lying.splits[0].shards[0].companions) {
    if (file.path.ends_with(".sde")) file.digest = Xxh3_128(AsBytes(forged));
  }
  REQUIRE(WriteManifest(storage, "out", lying).ok());
  CHECK(Findings(VerifyLevel::kQuick).empty());
  for (const VerifyLevel level : {VerifyLevel::kFull, VerifyLevel::kDeep}) {
    const auto findings = Findings(level);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].where().path == kPoints0);
    CHECK(findings[0].where().record.has_value());
    CHECK(findings[0].where().key.has_value());
  }
}

}  // namespace
}  // namespace shardine::entry_point_damage_test
