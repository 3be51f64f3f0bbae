// The checked-in files: golden ones that py-lmdb wrote, and damaged ones.
#include <catch2/catch.hpp>

#include "io/local_storage.h"
#include "lmdb/lmdb_format.h"
#include "shard/format_registry.h"
#include "support/expected_files.h"

namespace shardine {
namespace {

using Row = std::vector<std::string>;

// A sample as lines of the golden expected.tsv.
std::vector<Row> RowsOf(const std::string& name, const ScannedSample& sample) {
  const std::string record = std::to_string(sample.record);
  std::vector<Row> rows = {
      {name, record, std::string(sample.key.value_or("-")),
       sample.labels.empty() ? "" : sample.labels[0].ToString()}};
  for (const ScannedField& field : sample.fields) {
    std::string shape;
    for (const std::uint64_t dimension : field.shape) {
      shape += (shape.empty() ? "" : "x") + std::to_string(dimension);
    }
    rows.push_back({name, record, std::string(field.name),
                    std::string(field.dtype), shape, ToHex(AsText(field.bytes)),
                    "field"});
  }
  return rows;
}

// Detects the layout and scans; the status that ended it.
template <typename Each>
Status Scan(const std::string& path, Each each) {
  const auto file = LocalStorage().Open(path);
  REQUIRE(file.ok());
  const auto layout = kLmdbFormat.detect_layout(**file);
  if (!layout.ok()) return layout.status();
  const auto scanner = kLmdbFormat.open_scanner(**file, *layout);
  if (!scanner.ok()) return scanner.status();
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok() || !*sample) return sample.status();
    each(**sample);
  }
}

TEST_CASE("LmdbScanner reads every sample of the golden files",
          "[lmdb][golden]") {
  const std::string folder = kTestdata + "/golden/lmdb";
  const auto expected = ExpectedRows(folder);
  std::vector<Row> found;
  for (const char* name :
       {"padded.lmdb", "plain.lmdb", "datum.lmdb", "fields.lmdb"}) {
    CHECK(Scan(folder + "/" + name, [&](const ScannedSample& sample) {
            for (Row& row : RowsOf(name, sample)) found.push_back(row);
          }).ToString() == "OK");
  }
  CHECK(found.size() == expected.size());
  CHECK((found == expected));
}

TEST_CASE("The layout of each golden file is detected", "[lmdb][golden]") {
  const std::pair<std::string, std::string> layouts[] = {
      {"padded", "lmdb/folder2lmdb:keys=%08d"},
      {"plain", "lmdb/folder2lmdb:keys=%d"},
      {"datum", "lmdb/datum"},
      {"fields", "lmdb/fields"}};
  for (const auto& [name, layout] : layouts) {
    const auto file =
        LocalStorage().Open(kTestdata + "/golden/lmdb/" + name + ".lmdb");
    REQUIRE(file.ok());
    const auto found = kLmdbFormat.detect_layout(**file);
    REQUIRE(found.ok());
    CHECK((FormatAndLayout{*found, &kLmdbFormat}.Name()) == layout);
  }
}

TEST_CASE("Every damaged LMDB file gives its listed error",
          "[lmdb][corruption]") {
  const std::string folder = kTestdata + "/must_fail/lmdb";
  for (const Row& row : ExpectedRows(folder)) {
    REQUIRE(row.size() == 3);
    const std::string path = folder + "/" + row[0];
    const Status status = Scan(path, [](const ScannedSample&) {});
    INFO(row[0] << ": " << status.ToString());
    CHECK(status.code() == CodeNamed(row[1]));
    CHECK(status.where().path == path);
    CHECK(status.where().offset == NumberIn(row[2]));
  }
}

TEST_CASE("Every LMDB file that is checked in is listed",
          "[lmdb][corruption]") {
  CheckAllListed(kTestdata + "/must_fail/lmdb", {".lmdb"});
  CheckAllListed(kTestdata + "/golden/lmdb", {".lmdb"});
}

TEST_CASE("Images with nothing around them are called so in LMDB",
          "[lmdb][golden]") {
  for (const auto& [name, kind] : {std::pair{"plain_png", "PNG images"},
                                   std::pair{"plain_jpeg", "JPEG images"}}) {
    const auto file = LocalStorage().Open(kTestdata + "/must_fail/lmdb/" +
                                          std::string(name) + ".lmdb");
    REQUIRE(file.ok());
    const auto layout = kLmdbFormat.detect_layout(**file);
    CHECK(layout.status().code() == Code::kUnsupported);
    CHECK_THAT(layout.status().message(),
               Catch::StartsWith(std::string("the values are ") + kind +
                                 " with nothing around them"));
  }
}

}  // namespace
}  // namespace shardine
