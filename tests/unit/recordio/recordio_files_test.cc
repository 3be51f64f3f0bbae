// The checked-in files: golden ones that MXNet wrote, and damaged ones.
#include <catch2/catch.hpp>
#include <charconv>
#include <filesystem>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "recordio/recordio_format.h"
#include "recordio/recordio_index.h"
#include "unit/recordio/record_bytes.h"

namespace shardine {
namespace {

const std::string kTestdata = SHARDINE_TESTDATA;

std::string Contents(const std::string& path) {
  auto contents = ReadFile(LocalStorage(), path, 1 << 20);
  INFO(path);
  REQUIRE(contents.ok());
  return *std::move(contents);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != text.npos;
       begin = end + 1) {
    pieces.push_back(text.substr(begin, end - begin));
  }
  if (begin < text.size() || separator == '\t') {
    pieces.push_back(text.substr(begin));
  }
  return pieces;
}

// The lines of expected.tsv that begin with one of `folder`'s files.
std::vector<std::vector<std::string>> Expected(const std::string& folder) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line :
       Split(Contents(folder + "/expected.tsv"), '\n')) {
    rows.push_back(Split(line, '\t'));
    REQUIRE(rows.back().size() == 4);
  }
  REQUIRE_FALSE(rows.empty());
  return rows;
}

// A sample as a line of the golden expected.tsv, without the file.
std::vector<std::string> Row(const ScannedSample& sample) {
  std::string labels;
  for (const Label& label : sample.labels) {
    labels += (labels.empty() ? "" : " ") + label.ToString();
  }
  std::string hex;
  for (const std::byte byte : sample.fields[0].bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[std::to_integer<unsigned>(byte) >> 4];
    hex += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return {std::to_string(*sample.id), labels, hex};
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
  const auto expected = Expected(folder);
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

Code CodeNamed(const std::string& name) {
  if (name == "corrupt") return Code::kCorrupt;
  REQUIRE(name == "unsupported");
  return Code::kUnsupported;
}

TEST_CASE("Every damaged RecordIO file gives its listed error",
          "[recordio][corruption]") {
  const std::string folder = kTestdata + "/must_fail/recordio";
  const auto expected = Expected(folder);
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

TEST_CASE("Every damaged RecordIO file is listed", "[recordio][corruption]") {
  const std::string folder = kTestdata + "/must_fail/recordio";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string suffix = entry.path().extension();
    if (suffix == ".rec" || suffix == ".idx") ++files;
  }
  CHECK(files == Expected(folder).size());
}

}  // namespace
}  // namespace shardine
