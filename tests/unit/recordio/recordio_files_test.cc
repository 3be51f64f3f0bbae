// The checked-in files: golden ones that MXNet wrote, and damaged ones.
#include <catch2/catch.hpp>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "recordio/recordio_format.h"
#include "recordio/recordio_index.h"
#include "support/expected_files.h"
#include "unit/recordio/record_bytes.h"

namespace shardine {
namespace {

// A sample as a line of the golden expected.tsv, without the file.
std::vector<std::string> Row(const ScannedSample& sample) {
  std::string labels;
  for (const Label& label : sample.labels) {
    labels += (labels.empty() ? "" : " ") + label.ToString();
  }
  return {std::to_string(*sample.id), labels,
          ToHex(AsText(sample.fields[0].bytes))};
}

// Calls `each` for every sample; the status that ended the scan.
template <typename Each>
Status Scan(const std::string& path, Each each) {
  const auto file = LocalStorage().Open(path);
  REQUIRE(file.ok());
  const auto scanner = kRecordIoFormat.open_scanner(**file, {});
  REQUIRE(scanner.ok());
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok() || !*sample) return sample.status();
    each(**sample);
  }
}

TEST_CASE("RecordIoScanner reads every record of MXNet's golden files",
          "[recordio][golden]") {
  const std::string folder = kTestdata + "/golden/recordio";
  const auto expected = ExpectedRows(folder);
  std::size_t found = 0;
  for (const char* name : {"single.rec", "multi.rec"}) {
    const Status status = Scan(folder + "/" + name, [&](const auto& sample) {
      std::vector<std::string> row = Row(sample);
      row.insert(row.begin(), name);
      REQUIRE(found < expected.size());
      CHECK(row == expected[found++]);
    });
    CHECK(status.ToString() == "OK");
  }
  CHECK(found == expected.size());
}

TEST_CASE("CheckIdx accepts MXNet's golden index files",
          "[recordio][idx][golden]") {
  for (const char* name : {"single", "multi"}) {
    const std::string stem = kTestdata + "/golden/recordio/" + name;
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> ids;
    REQUIRE(Scan(stem + ".rec", [&](const ScannedSample& sample) {
              offsets.push_back(sample.record_offset);
              ids.push_back(*sample.id);
            }).ok());
    CHECK(CheckIdx(LocalStorage(), stem + ".idx", offsets, ids).ToString() ==
          "OK");
  }
}

TEST_CASE("RecordIoWriter writes MXNet's golden file byte for byte",
          "[recordio][golden]") {
  const std::string stem = kTestdata + "/golden/recordio/single";
  MemoryStorage storage;
  const auto writer = kRecordIoFormat.create_writer(
      storage, {.shard = "x.rec", .companion = "x.idx"}, {});
  REQUIRE(writer.ok());
  REQUIRE(Scan(stem + ".rec", [&](const ScannedSample& sample) {
            const FieldView image{.name = kImageField,
                                  .dtype = kBytesDtype,
                                  .shape = {},
                                  .bytes = sample.fields[0].bytes};
            REQUIRE((*writer)
                        ->Append({.id = *sample.id,
                                  .key = {},
                                  .labels = sample.labels,
                                  .fields = {&image, 1}})
                        .ok());
          }).ok());
  REQUIRE((*writer)->Finish().ok());
  CHECK(*storage.Get("x.rec") == Contents(stem + ".rec"));
  CHECK(*storage.Get("x.idx") == Contents(stem + ".idx"));
}

TEST_CASE("Every damaged RecordIO file gives its listed error",
          "[recordio][corruption]") {
  const std::string folder = kTestdata + "/must_fail/recordio";
  const auto expected = ExpectedRows(folder);
  for (const std::vector<std::string>& row : expected) {
    INFO(row[0]);
    const std::string path = folder + "/" + row[0];
    Status status;
    if (row[0].ends_with(".rec")) {
      status = Scan(
          path, [](const ScannedSample& sample) { CHECK(sample.record == 0); });
    } else {
      const auto file = LocalStorage().Open(path);
      REQUIRE(file.ok());
      status = ReadIdx(**file).status();
    }
    CHECK(status.code() == CodeNamed(row[1]));
    CHECK(status.where().path == path);
    CHECK(status.where().record == std::stoull(row[2]));
    CHECK(status.where().offset == std::stoull(row[3]));
  }
}

TEST_CASE("Every RecordIO file that is checked in is listed",
          "[recordio][corruption]") {
  CheckAllListed(kTestdata + "/must_fail/recordio", {".rec", ".idx"});
  CheckAllListed(kTestdata + "/golden/recordio", {".rec"});
}

}  // namespace
}  // namespace shardine
