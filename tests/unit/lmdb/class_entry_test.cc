// The names of classes that a database has beside its samples.
#include "lmdb/class_entry.h"

#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine {
namespace {

using Names = std::map<std::int64_t, std::string>;

Result<Names> NamesIn(const Entries& entries) {
  OracleDb db;
  db.Begin();
  for (const auto& [key, value] : entries) db.Put(key, value);
  db.Commit();
  const TextFile file(db.File());
  const auto reader = LmdbReader::Open(file);
  REQUIRE(reader.ok());
  return ReadClassEntry(**reader, 1 << 20);
}

Names Named(const std::string& value) {
  const auto names = NamesIn({{"0", "x"}, {"__classes__", value}});
  REQUIRE(names.status().ToString() == "OK");
  return *names;
}

TEST_CASE("A list or dict under __classes__ names classes by label",
          "[lmdb][classes]") {
  const Names wanted = {{0, "ape"}, {1, "bat"}};
  // ["ape", "bat"], (b"ape", b"bat"), {"bat": 1, "ape": 0}; the same of
  // msgpack.
  CHECK(Named(BytesOfHex("8004 5d 28 8c03617065 8c03626174 65 2e")) == wanted);
  CHECK(Named(BytesOfHex("8004 4303617065 4303626174 86 2e")) == wanted);
  CHECK(Named(BytesOfHex("8004 7d 28 8c03626174 4b01 8c03617065 4b00 75 2e")) ==
        wanted);
  CHECK(Named(BytesOfHex("92 a3617065 a3626174")) == wanted);
  CHECK(Named(BytesOfHex("82 a3626174 01 a3617065 00")) == wanted);
}

TEST_CASE("What names no classes under __classes__ is passed over",
          "[lmdb][classes]") {
  CHECK(NamesIn({{"0", "x"}})->empty());
  // 3, ["ape", 1], {"ape": "bat"}, {1: 1}, None.
  for (const char* hex : {"8004 4b03 2e", "92 a3617065 01",
                          "81 a3617065 a3626174", "81 01 01", "8004 4e 2e"}) {
    INFO(hex);
    CHECK(Named(BytesOfHex(hex)).empty());
  }
}

TEST_CASE("A damaged __classes__ is an error with its byte",
          "[lmdb][classes][corruption]") {
  const std::string whole = BytesOfHex("92 a3617065 a3626174");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const Status status =
        NamesIn({{"__classes__", whole.substr(0, size)}}).status();
    INFO(size);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset);
  }
}

}  // namespace
}  // namespace shardine
