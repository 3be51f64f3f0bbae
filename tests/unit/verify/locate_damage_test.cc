#include "verify/locate_damage.h"

#include <catch2/catch.hpp>

#include "base/checksum.h"
#include "dataset/manifest.h"
#include "shardine/pack.h"
#include "support/pack_fixture.h"

namespace shardine::locate_damage_test {
namespace {

constexpr char kShard[] = "out/train-00000-of-00001.rec";

struct World {
  World() {
    PutTree(storage, "tree", 2, 6, 200);
    PackOptions options = PackOf("tree", "out");
    options.shards = 1;
    REQUIRE(Pack(options, {.storage = &storage}).ok());
    auto opened = ShardIndex::Open(storage, SidecarName(kShard));
    REQUIRE(opened.ok());
    index = *std::move(opened);
  }

  std::optional<std::uint64_t> Locate(const Digest128& expected) {
    const auto format = ParseFormat(BuiltinFormats(), "recordio");
    const auto file = storage.Open(kShard);
    REQUIRE((format.ok() && file.ok()));
    return LocateDamage(*format, **file, *index, {{}, "train"}, expected);
  }

  MemoryStorage storage;
  std::unique_ptr<ShardIndex> index;
};

TEST_CASE_METHOD(World, "LocateDamage finds the byte that no reader looks at",
                 "[pack][verify]") {
  std::string contents = *storage.Get(kShard);
  const std::size_t id2 = 8 + 16;  // the reserved word of the first record
  for (std::size_t byte = id2; byte < id2 + 8; ++byte) {
    std::string damaged = contents;
    damaged[byte] ^= 0x40;
    storage.Put(kShard, damaged);
    CHECK(Locate(index->binding().shard_digest) == byte);
  }
}

TEST_CASE_METHOD(World, "LocateDamage finds nothing in a sound shard",
                 "[pack][verify]") {
  CHECK(Locate(index->binding().shard_digest) == std::nullopt);
}

TEST_CASE_METHOD(World,
                 "LocateDamage does not guess where another program wrote",
                 "[pack][verify]") {
  std::string contents = *storage.Get(kShard);
  contents[8 + 16] ^= 1;
  storage.Put(kShard, contents);
  // The digest of a file that our writer would not write.
  CHECK(Locate(Xxh3_128(AsBytes(contents))) == std::nullopt);
}

TEST_CASE("LocateDamage writes the classes that a shard names once more",
          "[pack][verify]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 6, 200);
  PackOptions options = PackOf("tree", "out");
  options.shards = 1;
  options.format = "lmdb/folder2lmdb:classes=list";
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  const std::string path = "out/train-00000-of-00001.lmdb";
  const auto index = ShardIndex::Open(storage, SidecarName(path));
  REQUIRE(index.ok());
  const auto format = ParseFormat(BuiltinFormats(), options.format);
  // A byte of the first page that means nothing.
  std::string damaged = *storage.Get(path);
  damaged[4000] ^= 1;
  storage.Put(path, damaged);
  const auto file = storage.Open(path);
  REQUIRE((format.ok() && file.ok()));
  const auto locate = [&](const ClassMap& classes) {
    return LocateDamage(*format, **file, **index, {classes, "train"},
                        (*index)->binding().shard_digest);
  };
  const auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  CHECK(locate(manifest->classes) == 4000);
  CHECK(locate({}) == std::nullopt);
}

}  // namespace
}  // namespace shardine::locate_damage_test
