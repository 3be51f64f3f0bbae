// LmdbReader on files of liblmdb when it is used as others use it: other
// options, pages that were used before, old copies, unfinished work.
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::lmdb_foreign_test {
namespace {

void CheckRead(OracleDb& db) {
  const ReadEntries read = ReadAll(db.File());
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE((read.entries == db.Contents()));
}

std::string BigEndian(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xff);
  }
  return bytes;
}

TEST_CASE("LmdbReader reads every size at which a value leaves its leaf",
          "[lmdb][oracle]") {
  // With a key of eight bytes, liblmdb keeps up to 2022 bytes in the leaf.
  OracleDb db;
  db.Begin();
  for (std::uint32_t i = 0; i < 60; ++i) {
    db.Put(BigEndian(i), std::string(1990 + i, 'v'));
    db.Put(BigEndian(1000 + i), std::string(4050 + i, 'w'));
    db.Put(BigEndian(2000 + i), std::string(8150 + i, 'x'));
  }
  db.Commit();
  CheckRead(db);
  const ReadEntries read = ReadAll(db.File());
  std::size_t overflow = 0;
  for (const LmdbEntry& place : read.places) {
    if (place.overflow_page == 0) continue;
    ++overflow;
    CHECK(place.value.offset == place.overflow_page * 4096 + 16);
  }
  // Both kinds are among the first 60, and all others have pages.
  CHECK(overflow > 120);
  CHECK(overflow < 180);
}

TEST_CASE("LmdbReader reads big-endian numbers as keys in their order",
          "[lmdb][oracle]") {
  OracleDb db;
  OracleDraws draws(4);
  db.Begin();
  for (int i = 0; i < 3000; ++i) {
    db.Put(BigEndian(std::uint64_t{draws.Below(~0U)} << draws.Below(33)), "v");
  }
  db.Commit();
  CheckRead(db);
}

TEST_CASE("LmdbReader counts the pages of three levels as liblmdb does",
          "[lmdb][oracle]") {
  OracleDraws draws(5);
  OracleDb db;
  db.Begin();
  for (int i = 0; i < 3000; ++i) {
    db.Put(draws.Bytes(4) + std::string(500, 'k'), draws.Bytes(3));
  }
  db.Commit();
  const std::string file = db.File();
  const MDB_stat stat = OracleFile(file).Stat();
  REQUIRE(stat.ms_depth >= 3);
  REQUIRE(stat.ms_branch_pages > 100);
  CheckRead(db);
  const TextFile opened(file);
  const auto reader = LmdbReader::Open(opened);
  REQUIRE(reader.ok());
  CHECK((*reader)->size() == stat.ms_entries);
  // The tree was walked once, its values were not read.
  CHECK(opened.reads() ==
        2 + stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages);
}

TEST_CASE("LmdbReader reads a database after deletions and new values",
          "[lmdb][oracle]") {
  OracleDb db;
  OracleDraws draws(6);
  db.Begin();
  for (std::uint32_t i = 0; i < 400; ++i) {
    db.Put(BigEndian(i), std::string(draws.Below(9000), 'a'));
  }
  db.Commit();
  CheckRead(db);
  for (std::uint32_t round = 0; round < 6; ++round) {
    db.Begin();
    for (std::uint32_t i = round; i < 400; i += 7) db.Delete(BigEndian(i));
    // Pages that others had; and values that became smaller or larger.
    for (std::uint32_t i = 0; i < 60; ++i) {
      db.Put(BigEndian(1000 * round + 500 + i),
             std::string(draws.Below(20'000), 'b'));
      db.Put(BigEndian(500 + i), std::string(draws.Below(12'000), 'c'));
    }
    db.Commit();
    CheckRead(db);
  }
  db.Begin();
  for (const auto& [key, value] : ReadAll(db.File()).entries) db.Delete(key);
  db.Commit();
  CheckRead(db);
  CHECK(ReadAll(db.File()).entries.empty());
}

TEST_CASE("LmdbReader does not see what was not committed", "[lmdb][oracle]") {
  OracleDb db;
  db.Begin();
  db.Put("a", "first");
  db.Commit();
  const auto before = ReadAll(db.File()).entries;
  db.Begin();
  for (int i = 0; i < 2000; ++i) db.Put(std::to_string(i), "not yet");
  CHECK((ReadAll(db.File()).entries == before));
  db.Commit();
  CHECK(ReadAll(db.File()).entries.size() == 2001);
}

TEST_CASE("LmdbReader reads a file that is as long as its map",
          "[lmdb][oracle]") {
  // MDB_WRITEMAP makes files of the whole map, empty after the last page.
  OracleDb db(MDB_WRITEMAP);
  db.Begin();
  for (int i = 0; i < 100; ++i) {
    db.Put(std::to_string(i), std::string(i * 100U, 'v'));
  }
  db.Commit();
  const auto contents = db.Contents();
  // The database itself takes less than this.
  const std::string file = db.File(4 << 20);
  REQUIRE(file.size() == 4 << 20);
  const ReadEntries read = ReadAll(file);
  CHECK(read.status.ToString() == "OK");
  CHECK((read.entries == contents));
}

TEST_CASE("The copy that the reader asks for can be read", "[lmdb][oracle]") {
  OracleDb db;
  for (int round = 0; round < 4; ++round) {
    db.Begin();
    for (int i = 0; i < 300; ++i) {
      db.Put(std::to_string(i * (round + 1)), std::string(i * 9U, 'v'));
    }
    db.Commit();
  }
  const auto contents = db.Contents();
  // The older meta page belongs to an earlier transaction.
  std::string file = db.File();
  const auto transaction = [&](std::size_t page) {
    return LoadLe<std::uint64_t>(&AsBytes(file)[page * 4096 + 144]);
  };
  const std::size_t older = transaction(0) < transaction(1) ? 0 : 1;
  file[older * 4096 + 144] = static_cast<char>(transaction(older) - 2);
  const Status status = ReadAll(file).status;
  CHECK(status.code() == Code::kCorrupt);
  REQUIRE_THAT(status.message(), Catch::Contains("a copy made by mdb_copy -c"));
  const ReadEntries copy = ReadAll(OracleFile(file).CompactCopy());
  CHECK(copy.status.ToString() == "OK");
  CHECK((copy.entries == contents));
}

TEST_CASE("Named databases are refused wherever their entry lies",
          "[lmdb][oracle]") {
  OracleDb db(0, 4);
  db.Begin();
  for (int i = 0; i < 500; ++i) db.Put(std::to_string(i), "v");
  db.Commit();
  CheckRead(db);
  db.Begin(MDB_CREATE, "250 images");
  db.Put("k", "v");
  db.Commit();
  const Status status = ReadAll(db.File()).status;
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(),
             Catch::Contains("named databases (\"250 images\")"));
  CHECK(status.where().path == "x.lmdb");
  // The name lies where the error says, behind the head of its node.
  REQUIRE(status.where().offset);
  CHECK(db.File().substr(*status.where().offset + 8, 10) == "250 images");
}

TEST_CASE("A named database is read by its name alone", "[lmdb][oracle]") {
  OracleDb db(0, 4);
  std::map<std::string, std::map<std::string, std::string>> wanted;
  OracleDraws draws(9);
  for (const char* name : {"image", "extra", "none"}) {
    db.Begin(MDB_CREATE, name);
    for (int i = 0; i < 300 && std::string_view(name) != "none"; ++i) {
      const std::string key = std::to_string(i) + name;
      wanted[name][key] = draws.Bytes(draws.Below(6000));
      db.Put(key, wanted[name][key]);
    }
    db.Commit();
  }
  const TextFile file(db.File());
  for (const char* name : {"image", "extra", "none"}) {
    const auto reader = LmdbReader::Open(file, name);
    REQUIRE(reader.status().ToString() == "OK");
    std::map<std::string, std::string> found;
    auto entry = (*reader)->First();
    while (entry.ok() && *entry) {
      const std::string key(AsText((*entry)->key));
      const LmdbPlace place = (*entry)->place;
      const auto value = (*reader)->Value(**entry);
      REQUIRE(value.ok());
      found[key] = AsText(*value);
      entry = (*reader)->After(place);
    }
    REQUIRE(entry.ok());
    CHECK((found == wanted[name]));
  }
  const Status main = LmdbReader::Open(file).status();
  CHECK(main.code() == Code::kUnsupported);
  CHECK_THAT(main.message(),
             Catch::StartsWith(
                 "holds named databases (\"extra\", \"image\", \"none\")"));
  CHECK(LmdbReader::Open(file, "images").status().message() ==
        "has no database \"images\" but \"extra\", \"image\", \"none\"");
}

TEST_CASE("Each byte of a named database's record may be any other",
          "[lmdb][oracle][corruption]") {
  OracleDb db(0, 4);
  db.Begin(MDB_CREATE, "image");
  for (int i = 0; i < 200; ++i) db.Put(std::to_string(i), "value");
  db.Commit();
  const std::string whole = db.File();
  const TextFile good(whole);
  REQUIRE(LmdbReader::Open(good, "image").ok());
  const std::uint64_t node =
      LmdbReader::Open(good).status().where().offset.value();
  for (std::size_t at = node; at < node + 8 + 5 + 48; ++at) {
    for (const int byte : {0, 1, 2, 4, 0x40, 0x7f, 0x80, 0xff}) {
      TextFile damaged(whole);
      damaged.bytes()[at] = static_cast<char>(byte);
      const auto reader = LmdbReader::Open(damaged, "image");
      const Code code = reader.status().code();
      INFO(at - node << ": " << reader.status().ToString());
      REQUIRE((reader.ok() || code == Code::kCorrupt ||
               code == Code::kUnsupported));
      if (reader.ok()) CHECK((*reader)->size() == 200);
    }
  }
}

TEST_CASE("A failed read is the error of whichever call asked for it",
          "[lmdb][faults]") {
  OracleDb db;
  db.Begin();
  for (int i = 0; i < 60; ++i) {
    db.Put("key" + std::to_string(i), std::string(i * 150U, 'v'));
  }
  db.Commit();
  TextFile whole(db.File());
  const ReadEntries expected = ReadAll(whole);
  REQUIRE(expected.status.ok());
  const std::uint64_t reads = whole.reads();
  REQUIRE(reads >= 10);
  for (std::uint64_t read = 0; read < reads; ++read) {
    TextFile file(db.File());
    file.FailRead(read);
    const ReadEntries found = ReadAll(file);
    INFO("read " << read << ": " << found.status.ToString());
    CHECK(found.status.code() == Code::kIo);
    CHECK(found.status.system_error() == EIO);
    CHECK(found.status.where().path == "x.lmdb");
    CHECK(found.status.where().offset);
    // The entries before it are right.
    REQUIRE(found.entries.size() < expected.entries.size());
    CHECK(std::ranges::equal(
        found.entries,
        std::span(expected.entries).first(found.entries.size())));
  }
}

TEST_CASE("A file that changes while it is read gives no wrong place",
          "[lmdb][corruption]") {
  OracleDb db;
  db.Begin();
  for (int i = 0; i < 40; ++i) {
    db.Put("key" + std::to_string(i), std::string(3000, 'v'));
  }
  db.Commit();
  TextFile file(db.File());
  const auto reader = LmdbReader::Open(file);
  REQUIRE(reader.ok());
  const auto first = (*reader)->First();
  REQUIRE(first.ok());
  REQUIRE(*first);
  const LmdbEntry entry = **first;
  // Its pages are those of another value now, or of none.
  const std::size_t at = entry.overflow_page * 4096;
  for (const auto& [byte, value] :
       {std::pair{0U, '\x7f'}, {10U, '\x02'}, {12U, '\0'}, {12U, '\x7f'}}) {
    const char before = file.bytes()[at + byte];
    file.bytes()[at + byte] = value;
    const auto fresh = LmdbReader::Open(file);
    REQUIRE(fresh.ok());
    const auto again = (*fresh)->First();
    REQUIRE(again.ok());
    const Status status = (*fresh)->Value(**again).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset == at);
    CHECK_THAT(status.message(), Catch::EndsWith("begin the pages of a value"));
    file.bytes()[at + byte] = before;
  }
  file.bytes().resize(at + 100);
  const auto value = (*reader)->Value(entry);
  CHECK(value.status().code() == Code::kCorrupt);
  CHECK(value.status().where().path == "x.lmdb");
}

}  // namespace
}  // namespace shardine::lmdb_foreign_test
