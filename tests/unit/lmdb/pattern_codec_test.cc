#include "lmdb/pattern_codec.h"

#include <catch2/catch.hpp>

#include "lmdb/lmdb_format.h"
#include "shard/format_registry.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::pattern_codec_test {
namespace {

TEST_CASE("A pattern stands for keys with digits in its place",
          "[lmdb][patterns]") {
  CHECK(NumberInKey("img-{n}", "img-0012") == "0012");
  CHECK(NumberInKey("{n}_x", "7_x") == "7");
  for (const char* key : {"img-", "img-1a", "img-1-", "cls-1", "", "1"}) {
    CHECK(!NumberInKey("img-{n}", key));
  }
  CHECK(!NumberInKey("{n}_x", "_x"));
  CHECK(PatternOfKey("a1-0012_x") == "a1-{n}_x");
  CHECK(PatternOfKey("meta") == "meta");
  CHECK(PatternOfKey("12") == "{n}");
}

TEST_CASE("Entries of one number are one sample, and others are said",
          "[lmdb][patterns]") {
  OracleDb db;
  db.Begin();
  for (const char* n : {"001", "002", "010"}) {
    const std::string number = n;
    db.Put("pic-" + number, "\x89PNG\r\n\x1a\n" + number);
    if (number != "002") db.Put("cls-" + number, "3");
    db.Put("extra-" + number, "x");
  }
  db.Put("meta", "y");
  db.Put("num-samples", "3");
  db.Commit();
  const TextFile file(db.File());
  const Format* const table[] = {&kLmdbFormat};
  const FormatRegistry formats(table);
  ReadRoles roles;
  roles.image = "pic-{n}";
  roles.label = "cls-{n}";
  const auto format = formats.DetectLayout(file, roles);
  REQUIRE(format.ok());
  const auto scanner = format->OpenScanner(file);
  REQUIRE(scanner.ok());
  std::string found;
  for (;;) {
    const auto sample = (*scanner)->Next();
    REQUIRE(sample.status().ToString() == "OK");
    if (!*sample) break;
    REQUIRE((*sample)->fields.size() == 1);
    CHECK((*sample)->fields[0].name == kImageField);
    CHECK((*sample)->fields[0].extents.size() == 1);
    found += std::string(*(*sample)->key) + " " +
             std::to_string((*sample)->labels.size()) + ";";
  }
  CHECK(found == "pic-001 1;pic-002 0;pic-010 1;");
  const auto warnings = (*scanner)->Warnings();
  REQUIRE(warnings.ok());
  CHECK(*warnings == std::vector<std::string>{
                         "entries left out: \"extra-{n}\" (3), \"meta\" (1)"});
}

}  // namespace
}  // namespace shardine::pattern_codec_test
