// The names of classes that a database has beside its samples.
#include "lmdb/class_entry.h"

#include "io/memory_storage.h"
#include "lmdb/lmdb_format.h"
#include "shard/format_registry.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::class_entry_test {
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

using Classes = std::vector<DatasetFacts::Class>;

// The classes in a shard of one sample written with these, or the failure.
Result<Names> Written(std::string_view text, const Classes& classes) {
  const Format* const table[] = {&kLmdbFormat};
  const auto layout = ParseFormat(FormatRegistry(table), text);
  REQUIRE(layout.ok());
  MemoryStorage storage;
  auto writer = kLmdbFormat.create_writer(
      storage, {.shard = "x.lmdb", .companion = "", .classes = classes},
      *layout);
  if (!writer.ok()) return std::move(writer).status();
  const std::string image = "jpg";
  const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
  const Label label(1);
  REQUIRE(
      (*writer)
          ->Append({.key = "k", .labels = {&label, 1}, .fields = {&field, 1}})
          .ok());
  REQUIRE((*writer)->Finish().ok());
  const auto file = storage.Open("x.lmdb");
  REQUIRE(file.ok());
  // The entries beside it are no samples.
  const auto scanner = kLmdbFormat.open_scanner(**file, *layout);
  REQUIRE(scanner.ok());
  const auto first = (*scanner)->Next();
  REQUIRE((first.ok() && *first));
  CHECK((*first)->labels[0] == label);
  const auto last = (*scanner)->Next();
  CHECK((last.ok() && !*last));
  const auto reader = LmdbReader::Open(**file);
  REQUIRE(reader.ok());
  return ReadClassEntry(**reader, 1 << 20);
}

TEST_CASE("Classes are written where they are asked for, and read back",
          "[lmdb][classes]") {
  const std::string longest(1000, 'l');
  const Classes classes = {{"ape", 0}, {"b\xc3\xa4r", 1}, {longest, 2}};
  const Names names = {{0, "ape"}, {1, "b\xc3\xa4r"}, {2, longest}};
  for (const char* layout :
       {"lmdb/folder2lmdb:classes=list", "lmdb/pytorch-lmdb",
        "lmdb/folder2lmdb:classes=list,values=arrow,keys=%d"}) {
    INFO(layout);
    CHECK(*Written(layout, classes) == names);
    // One, whose list has another form, and none.
    CHECK(*Written(layout, {{longest, 0}}) == Names{{0, longest}});
    CHECK(Written(layout, {})->empty());
  }
  for (const char* layout : {"lmdb/folder2lmdb", "lmdb/tensorpack"}) {
    CHECK(Written(layout, classes)->empty());
  }
}

TEST_CASE(
    "Classes that no list can name are refused before a sample is written",
    "[lmdb][classes]") {
  for (const Classes& classes :
       {Classes{{"ape", 1}}, Classes{{"ape", 0}, {"bat", 2}},
        Classes{{"ape", -1}, {"bat", 0}}, Classes{{"\xff", 0}},
        Classes{{std::string(1001, 'l'), 0}}}) {
    const Status status =
        Written("lmdb/folder2lmdb:classes=list", classes).status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::StartsWith("class \""));
  }
  // Bytes may be any.
  CHECK(*Written("lmdb/pytorch-lmdb", {{"\xff", 0}}) == Names{{0, "\xff"}});
}

}  // namespace
}  // namespace shardine::class_entry_test
