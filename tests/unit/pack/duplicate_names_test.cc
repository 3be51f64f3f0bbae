#include "pack/duplicate_names.h"

#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

#include "io/memory_storage.h"
#include "shard/shard_index.h"
#include "support/draws.h"
#include "support/fault_storage.h"

namespace shardine::duplicate_names_test {
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
  const std::string sidecar = SidecarName(path);
  REQUIRE(storage.CreateDirectories(DirectoryOf(sidecar)).ok());
  auto file = AtomicFile::Create(storage, sidecar);
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
  // In another split the key belongs to another sample, but the id does not.
  shards[2].split = "val";
  CHECK(CheckKeysUnique(storage, shards).ok());
  CHECK_FALSE(CheckIdsUnique(storage, shards).ok());
}

TEST_CASE("Names that come twice are found wherever they are",
          "[pack][twins]") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Draws draws(seed);
    MemoryStorage storage;
    std::vector<NamedShard> shards;
    // Few enough names that about half of the sets have one twice.
    std::map<std::pair<std::string, std::string>, int> seen;
    bool twice = false;
    for (int i = 0; i < 4; ++i) {
      const std::string split = i % 2 == 0 ? "train" : "val";
      std::vector<std::string> keys;
      for (std::uint64_t n = draws.Below(5); n > 0; --n) {
        keys.push_back(std::to_string(draws.Below(25)));
        twice = ++seen[{split, keys.back()}] > 1 || twice;
      }
      NamedShard shard =
          PutShard(storage, std::string(1, static_cast<char>('a' + i)), keys,
                   static_cast<std::uint64_t>(i) * 100);
      shard.split = split;
      shards.push_back(shard);
    }
    // Shards stay in order within each split.
    std::swap(shards[1], shards[2]);
    for (const std::size_t at_once : {1u, 3u, 100u}) {
      const Status status = CheckKeysUnique(storage, shards, at_once);
      INFO("seed " << seed << ": " << status.ToString());
      CHECK(status.ok() == !twice);
      CHECK(CheckIdsUnique(storage, shards, at_once).ok());
      if (status.ok()) continue;
      const bool train = seen[{"train", *status.where().key}] > 1;
      const bool val = seen[{"val", *status.where().key}] > 1;
      CHECK((train || val));
    }
  }
}

TEST_CASE("A sidecar that cannot be read is no proof that names differ",
          "[pack][twins][fault]") {
  MemoryStorage storage;
  const std::vector<NamedShard> shards = {PutShard(storage, "a", {"x"}, 0),
                                          PutShard(storage, "b", {"y"}, 1)};
  FaultStorage faulty(storage, {.operation = Operation::kRead, .call = 1});
  CHECK(CheckKeysUnique(faulty, shards).code() == Code::kIo);
  REQUIRE(storage.Remove(SidecarName("b")).ok());
  CHECK(CheckKeysUnique(storage, shards).code() == Code::kNotFound);
  CHECK(CheckIdsUnique(storage, shards).code() == Code::kNotFound);
  CHECK(CheckKeysUnique(storage, {}).ok());
}

}  // namespace
}  // namespace shardine::duplicate_names_test
