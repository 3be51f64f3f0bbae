#include "pack/name_twins.h"

#include <catch2/catch.hpp>
#include <vector>

#include "io/memory_storage.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

// A sidecar of samples with these keys, whose ids count from `id`.
NamedShard PutShard(Storage& storage, const std::string& path,
                    const std::vector<std::string>& keys, std::uint64_t id) {
  ShardIndexWriter index;
  for (const std::string& key : keys) {
    IndexEntry entry;
    entry.id = id++;
    index.Add(entry, key);
  }
  auto file = AtomicFile::Create(storage, SidecarName(path));
  REQUIRE(file.ok());
  REQUIRE(index.WriteTo(*file, {}).ok());
  REQUIRE(file->Publish().ok());
  return {"train", path, keys.size()};
}

TEST_CASE("Names that come twice are found however few are looked at at once",
          "[pack][twins]") {
  MemoryStorage storage;
  std::vector<std::string> keys[3];
  for (int i = 0; i < 300; ++i) keys[i / 100].push_back(std::to_string(i));
  std::vector<NamedShard> shards = {PutShard(storage, "a", keys[0], 0),
                                    PutShard(storage, "b", keys[1], 100),
                                    PutShard(storage, "c", keys[2], 200)};
  for (const std::size_t at_once : {1u, 7u, 1000u}) {
    CHECK(CheckKeysUnique(storage, shards, at_once).ok());
    CHECK(CheckIdsUnique(storage, shards, at_once).ok());
  }
  keys[2][50] = "17";
  shards[2] = PutShard(storage, "c", keys[2], 150);
  for (const std::size_t at_once : {1u, 7u, 1000u}) {
    const Status key = CheckKeysUnique(storage, shards, at_once);
    CHECK(key.message() ==
          "sample 17 of split train and sample 250 of split train both have "
          "this key");
    CHECK(key.where().key == "17");
    CHECK(CheckIdsUnique(storage, shards, at_once).code() ==
          Code::kInvalidArgument);
  }
  // In another split the key is another sample's, the id is not.
  shards[2].split = "val";
  CHECK(CheckKeysUnique(storage, shards).ok());
  CHECK_FALSE(CheckIdsUnique(storage, shards).ok());
}

}  // namespace
}  // namespace shardine
