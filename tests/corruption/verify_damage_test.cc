// Damage larger than a bit: findings of verify on cut, grown, swapped,
// duplicated, renamed, missing and stale files.

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shard/shard_index.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "support/sanitized.h"
#include "support/verify_findings.h"

namespace shardine::verify_damage_test {
namespace {

constexpr std::size_t kStep = kSanitized ? 97 : 1;

constexpr char kShard0[] = "out/train-00000-of-00003.rec";
constexpr char kShard1[] = "out/train-00001-of-00003.rec";

void PackSmall(MemoryStorage& storage) {
  PutTree(storage, "tree", 3, 4, 300);
  REQUIRE(Pack(PackOf("tree", "out"), {.storage = &storage}).ok());
}

bool Mentions(const std::vector<Status>& findings, const std::string& text) {
  for (const Status& finding : findings) {
    if (finding.ToString().find(text) != std::string::npos) return true;
  }
  return false;
}

TEST_CASE("Verify finds nothing wrong with what was packed",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  for (const VerifyLevel level : {VerifyLevel::kQuick, VerifyLevel::kFull}) {
    VerifyOptions options;
    options.target = "out";
    options.level = level;
    options.against = "tree";
    for (const unsigned threads : {1u, 2u, 7u}) {
      options.threads = threads;
      const auto result = Verify(options, {.storage = &storage});
      REQUIRE(result.ok());
      CHECK(result->findings.empty());
      CHECK(result->notes.size() == (level == VerifyLevel::kFull ? 0 : 1));
      CHECK(result->shards == 3);
      CHECK(result->samples == (level == VerifyLevel::kFull ? 12 : 0));
    }
  }
}

TEST_CASE("Verify finds a file that is cut at any length or has grown",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    const std::string path = "out/" + name;
    for (std::size_t size = 0; size < contents.size(); size += kStep) {
      INFO(name << " cut to " << size);
      storage.Put(path, contents.substr(0, size));
      REQUIRE_FALSE(FindingsOf(storage).empty());
      REQUIRE_FALSE(FindingsOf(storage, VerifyLevel::kQuick).empty());
    }
    INFO(name << " grown");
    storage.Put(path, contents + '\0');
    REQUIRE_FALSE(FindingsOf(storage, VerifyLevel::kQuick).empty());
    storage.Put(path, contents + contents);
    REQUIRE_FALSE(FindingsOf(storage).empty());
    storage.Put(path, contents);
    REQUIRE(FindingsOf(storage).empty());
  }
}

TEST_CASE("Verify names a file that is missing", "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    if (name == "shardine.json") continue;
    REQUIRE(storage.Remove("out/" + name).ok());
    CHECK(Mentions(FindingsOf(storage, VerifyLevel::kQuick), "out/" + name));
    CHECK(Mentions(FindingsOf(storage), "out/" + name));
    storage.Put("out/" + name, contents);
  }
}

TEST_CASE("Verify finds swapped, duplicated and renamed shards",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  const std::string a = *storage.Get(kShard0);
  const std::string b = *storage.Get(kShard1);
  SECTION("swapped") {
    storage.Put(kShard0, b);
    storage.Put(kShard1, a);
    const auto findings = FindingsOf(storage);
    CHECK(Mentions(findings, kShard0));
    CHECK(Mentions(findings, kShard1));
  }
  SECTION("swapped together with their companions") {
    for (const auto& [before, suffix] :
         {std::pair("", "rec"), {"", "idx"}, {".shardine/", "rec.sdx"}}) {
      const std::string folder = std::string("out/") + before;
      const std::string first = folder + "train-00000-of-00003." + suffix;
      const std::string second = folder + "train-00001-of-00003." + suffix;
      const std::string contents = *storage.Get(first);
      storage.Put(first, *storage.Get(second));
      storage.Put(second, contents);
    }
    CHECK_FALSE(FindingsOf(storage).empty());
    CHECK_FALSE(FindingsOf(storage, VerifyLevel::kQuick).empty());
  }
  SECTION("duplicated") {
    storage.Put(kShard1, a);
    CHECK(Mentions(FindingsOf(storage), kShard1));
  }
  SECTION("renamed") {
    REQUIRE(storage.Rename(kShard0, "out/other.rec").ok());
    CHECK(Mentions(FindingsOf(storage), kShard0));
  }
}

TEST_CASE("Verify finds a sidecar that belongs to another shard",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  storage.Put(SidecarName(kShard0), *storage.Get(SidecarName(kShard1)));
  CHECK_FALSE(FindingsOf(storage, VerifyLevel::kQuick).empty());
  CHECK_FALSE(FindingsOf(storage).empty());
}

TEST_CASE("Verify goes on after lost framing and names each bad record",
          "[corruption][verify]") {
  MemoryStorage storage;
  for (int i = 0; i < 9; ++i) {
    storage.Put("tree/c/" + std::to_string(i) + ".jpg",
                NoiseBytes(100, static_cast<std::uint64_t>(i)));
  }
  PackOptions options = PackOf("tree", "out");
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  const std::string path = "out/train-00000-of-00001.rec";
  std::string contents = *storage.Get(path);
  const std::size_t record = contents.size() / 9;
  contents[2 * record] ^= 1;       // magic of record 2
  contents[7 * record + 40] ^= 1;  // payload of record 7
  storage.Put(path, contents);
  const auto findings = FindingsOf(storage);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].where().record == 2u);
  CHECK(findings[0].where().offset == 2 * record);
  CHECK(findings[0].where().key.has_value());
  CHECK(findings[1].where().record == 7u);
  CHECK(findings[1].where().key.has_value());
}

TEST_CASE("Verify compares with the tree a dataset was made of",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  std::string contents = *storage.Get("tree/class1/2.jpg");
  contents[0] ^= 1;
  storage.Put("tree/class1/2.jpg", contents);
  REQUIRE(storage.Remove("tree/class2/0.jpg").ok());
  CHECK(FindingsOf(storage).empty());
  const auto findings = FindingsOf(storage, VerifyLevel::kFull, "tree");
  CHECK(findings.size() == 2);
  CHECK(Mentions(findings, "class1/2.jpg"));
  CHECK(Mentions(findings, "class2/0.jpg"));
}

TEST_CASE("Verify notes images of the tree that the dataset lacks",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  storage.Put("tree/class1/late.jpg", "came after the pack");
  storage.Put("tree/class2/later.jpg", "too");
  VerifyOptions options;
  options.target = "out";
  options.against = "tree";
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->findings.empty());
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0] ==
        "images of tree that the dataset lacks: 2, such as class1/late.jpg");
}

TEST_CASE("Verify against a tree still reports damage to a sidecar",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  const std::string sidecar = SidecarName(kShard0);
  std::string contents = *storage.Get(sidecar);
  contents[100] ^= 1;
  storage.Put(sidecar, contents);
  CHECK(Mentions(FindingsOf(storage, VerifyLevel::kFull, "tree"), sidecar));
}

TEST_CASE("Verify notes files that the manifest does not list",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  storage.Put("out/stray.rec", "?");
  VerifyOptions options;
  options.target = "out";
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.ok());
  CHECK(result->findings.empty());
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0].find("stray.rec") != std::string::npos);
}

TEST_CASE("Verify of a bare shard checks framing and native index",
          "[corruption][verify]") {
  MemoryStorage storage;
  PackSmall(storage);
  VerifyOptions options;
  options.target = kShard0;
  auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->findings.empty());
  CHECK(result->samples == 4);

  const std::string index = "out/train-00000-of-00003.idx";
  std::string lines = *storage.Get(index);
  lines[lines.size() - 2] ^= 1;
  storage.Put(index, lines);
  result = Verify(options, {.storage = &storage});
  REQUIRE(result.ok());
  CHECK(Mentions(result->findings, index));

  const std::string shard = *storage.Get(kShard0);
  storage.Put(kShard0, shard.substr(0, shard.size() - 4));
  result = Verify(options, {.storage = &storage});
  REQUIRE(result.ok());
  REQUIRE_FALSE(result->findings.empty());
  CHECK(result->findings[0].where().path == kShard0);
  CHECK(result->findings[0].where().offset.has_value());
}

TEST_CASE("Verify says when there is nothing to verify",
          "[corruption][verify]") {
  MemoryStorage storage;
  storage.Put("empty/readme", "");
  VerifyOptions options;
  options.target = "empty";
  CHECK(Verify(options, {.storage = &storage}).status().code() ==
        Code::kNotFound);
  options.target = "absent";
  CHECK(Verify(options, {.storage = &storage}).status().code() ==
        Code::kNotFound);
}

}  // namespace
}  // namespace shardine::verify_damage_test
