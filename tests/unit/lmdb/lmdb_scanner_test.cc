// LmdbScanner: places that its errors name, and places of the fields it gives.
#include "lmdb/lmdb_scanner.h"

#include "lmdb/lmdb_layouts.h"
#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::lmdb_scanner_test {
namespace {

std::string Database(const Entries& entries) {
  OracleDb db;
  db.Begin();
  for (const auto& [key, value] : entries) db.Put(key, value);
  db.Commit();
  return db.File();
}

struct Scanned {
  std::vector<std::string> images;
  Status status;
};

// Detects the layout and scans, as every verb does.
Scanned Scan(const RandomAccessFile& file) {
  const auto layout = DetectLmdbLayout(file);
  if (!layout.ok()) return {{}, layout.status()};
  const auto scanner = OpenLmdbScanner(file, *layout);
  if (!scanner.ok()) return {{}, scanner.status()};
  Scanned scanned;
  for (;;) {
    const auto sample = (*scanner)->Next();
    scanned.status = sample.status();
    if (!sample.ok() || !*sample) return scanned;
    REQUIRE((*sample)->record == scanned.images.size());
    scanned.images.emplace_back(AsText((*sample)->fields[0].bytes));
  }
}

// Pairs under 0 to 19, listed from the last to the first.
Entries Listed() {
  const auto codec = CodecOf("folder2lmdb", "%d");
  Entries entries;
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto entry =
        Encoded(*codec, Photo(std::string(i * 30'000, 'a'), {Label(1)}), i);
    REQUIRE(entry.ok());
    entries[entry->key] = entry->value;
    keys.insert(keys.begin(), entry->key);
  }
  entries["__keys__"] = Pickled([&](PickleWriter& pickle) {
    pickle.Op(kOpEmptyList);
    pickle.Op(kOpMark);
    for (const std::string& key : keys) pickle.Bytes(AsBytes(key));
    pickle.Op(kOpAppends);
  });
  entries["__len__"] = Pickled([](PickleWriter& pickle) { pickle.Int(20); });
  return entries;
}

TEST_CASE("A failed read at any call of a scan is its error",
          "[lmdb][scanner][faults]") {
  const std::string bytes = Database(Listed());
  const TextFile whole(bytes);
  const Scanned expected = Scan(whole);
  REQUIRE(expected.status.ToString() == "OK");
  REQUIRE(expected.images.size() == 20);
  REQUIRE(whole.reads() >= 10);
  for (std::uint64_t read = 0; read < whole.reads(); ++read) {
    TextFile file(bytes);
    file.FailRead(read);
    const Scanned scanned = Scan(file);
    INFO("read " << read << ": " << scanned.status.ToString());
    CHECK(scanned.status.code() == Code::kIo);
    CHECK(scanned.status.system_error() == EIO);
    CHECK(scanned.status.where().path == "x.lmdb");
    CHECK(scanned.status.where().offset);
    const std::size_t before = scanned.images.size();
    REQUIRE(before < 20);
    CHECK(std::ranges::equal(scanned.images,
                             std::span(expected.images).first(before)));
    if (before > 0) CHECK(scanned.status.where().record == before);
  }
}

TEST_CASE("A value that is none is named by its number in the scan",
          "[lmdb][scanner][corruption]") {
  Entries entries = Listed();
  entries["5"] = "\x80\x04K\x01.";  // the 15th from the end
  const std::string bytes = Database(entries);
  const Scanned scanned = Scan(TextFile(bytes));
  CHECK(scanned.images.size() == 14);
  CHECK(scanned.status.code() == Code::kUnsupported);
  CHECK(scanned.status.where().record == 14U);
  CHECK(scanned.status.where().path == "x.lmdb");
  REQUIRE(scanned.status.where().offset);
  CHECK(bytes.substr(*scanned.status.where().offset, 5) == entries["5"]);
}

TEST_CASE("A field has the extent of its bytes, unless they were converted",
          "[lmdb][scanner]") {
  // {"a": b"", "b": b"bytes", "c": encode("letters", "latin1")}
  const std::string dict =
      BytesOfHex("8004 7d 28 8c0161 4300 8c0162 4305") + "bytes" +
      BytesOfHex("8c0163 8c075f636f64656373 8c06656e636f6465 93 8c07") +
      "letters" + BytesOfHex("8c066c6174696e31 86 52 75 2e");
  const std::string bytes = Database({{"k", dict}});
  const TextFile file(bytes);
  const auto layout = DetectLmdbLayout(file);
  REQUIRE(layout.ok());
  const auto scanner = OpenLmdbScanner(file, *layout);
  REQUIRE(scanner.ok());
  const auto sample = (*scanner)->Next();
  REQUIRE(sample.status().ToString() == "OK");
  REQUIRE(*sample);
  const std::uint64_t value = bytes.find(dict);
  CHECK((*sample)->record_offset == value);
  const auto fields = (*sample)->fields;
  REQUIRE(fields.size() == 3);
  REQUIRE(fields[0].extents.size() == 1);
  CHECK(fields[0].extents[0].length == 0);
  REQUIRE(fields[1].extents.size() == 1);
  CHECK(fields[1].extents[0].offset == value + dict.find("bytes"));
  CHECK(fields[1].extents[0].length == 5);
  CHECK(AsText(fields[2].bytes) == "letters");
  CHECK(fields[2].extents.empty());
}

}  // namespace
}  // namespace shardine::lmdb_scanner_test
