// LmdbReader against liblmdb, and against damage.
#include "lmdb/lmdb_reader.h"

#include <algorithm>

#include "support/sanitized.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::lmdb_reader_test {
namespace {

TEST_CASE("LmdbReader reads what liblmdb wrote, in its order",
          "[lmdb][oracle]") {
  std::uint64_t total = 0;
  for (std::uint32_t seed = 0; seed < (kSanitized ? 300 : 3000); ++seed) {
    INFO("database " << seed);
    OracleDraws draws(seed);
    OracleDb db;
    FillRandomly(db, draws);
    const ReadEntries read = ReadAll(db.File());
    REQUIRE(read.status.ToString() == "OK");
    REQUIRE((read.entries == db.Contents()));
    total += read.entries.size();
  }
  CHECK(total > (kSanitized ? 10'000 : 100'000));
}

TEST_CASE("LmdbReader finds every key and no other", "[lmdb][oracle]") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    INFO("database " << seed);
    OracleDraws draws(seed);
    OracleDb db;
    FillRandomly(db, draws);
    const auto contents = db.Contents();
    MemoryStorage storage;
    storage.Put("x.lmdb", db.File());
    const auto file = storage.Open("x.lmdb");
    REQUIRE(file.ok());
    const auto reader = LmdbReader::Open(**file);
    REQUIRE(reader.ok());
    CHECK((*reader)->size() == contents.size());
    const auto exists = [&](const std::string& key) {
      return std::ranges::any_of(
          contents, [&](const auto& entry) { return entry.first == key; });
    };
    // Backwards: each by its own descent.
    for (auto entry = contents.rbegin(); entry != contents.rend(); ++entry) {
      const auto found = (*reader)->Find(AsBytes(entry->first));
      REQUIRE(found.ok());
      REQUIRE(*found);
      CHECK(AsText((*found)->key) == entry->first);
      const auto again = (*reader)->At((*found)->place);
      REQUIRE(again.ok());
      const auto value = (*reader)->Value(*again);
      REQUIRE(value.ok());
      CHECK(AsText(*value) == entry->second);
    }
    for (int i = 0; i < 50; ++i) {
      const std::string key = RandomKey(draws);
      const auto found = (*reader)->Find(AsBytes(key));
      REQUIRE(found.ok());
      CHECK(found->has_value() == exists(key));
    }
  }
}

TEST_CASE("LmdbReader reads a deep tree", "[lmdb][oracle]") {
  OracleDraws draws(1);
  OracleDb db;
  db.Begin();
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    db.Put(std::string(200, 'd') + draws.Bytes(4), std::to_string(i));
  }
  db.Commit();
  const ReadEntries read = ReadAll(db.File());
  REQUIRE(read.status.ToString() == "OK");
  CHECK((read.entries == db.Contents()));
}

TEST_CASE("LmdbReader survives flipped bits of random databases",
          "[lmdb][corruption]") {
  std::uint64_t refused = 0;
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    OracleDraws draws(seed);
    OracleDb db;
    FillRandomly(db, draws);
    const std::string file = db.File();
    for (int i = 0; i < 60; ++i) {
      std::string damaged = file;
      for (std::uint32_t flips = 1 + draws.Below(3); flips > 0; --flips) {
        const std::uint32_t size = static_cast<std::uint32_t>(file.size());
        // Half of them at the head of a page, where its structure is.
        const std::uint32_t at =
            draws.Below(2) == 0
                ? draws.Below(size)
                : draws.Below(size / 4096) * 4096 + draws.Below(160);
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << draws.Below(8)));
      }
      const ReadEntries read = ReadAll(damaged);
      if (read.status.ok()) continue;
      ++refused;
      INFO(read.status.ToString());
      CHECK((read.status.code() == Code::kCorrupt ||
             read.status.code() == Code::kUnsupported));
      CHECK(read.status.where().path == "x.lmdb");
      CHECK(read.status.where().offset);
    }
  }
  CHECK(refused > 500);
}

}  // namespace
}  // namespace shardine::lmdb_reader_test
