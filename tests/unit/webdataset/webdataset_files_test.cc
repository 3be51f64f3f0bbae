// The checked-in files: golden ones of other programs, and damaged ones.
#include <filesystem>

#include "io/local_storage.h"
#include "unit/webdataset/tar_bytes.h"
#include "webdataset/webdataset_index.h"

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

// The lines of `folder`'s expected.tsv.
std::vector<std::vector<std::string>> Expected(const std::string& folder) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line :
       Split(Contents(folder + "/expected.tsv"), '\n')) {
    rows.push_back(Split(line, '\t'));
  }
  REQUIRE_FALSE(rows.empty());
  return rows;
}

std::string FieldText(const std::string& name, const FoundField& field) {
  std::string text = name + "=" + field.dtype + "(";
  for (std::size_t i = 0; i < field.shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(field.shape[i]);
  }
  text += ")";
  for (const char c : field.bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

// A sample as a line of the golden expected.tsv.
std::vector<std::string> Row(const std::string& file,
                             const FoundSample& sample) {
  std::string fields;
  for (const auto& [name, field] : sample.fields) {
    fields += (fields.empty() ? "" : ";") + FieldText(name, field);
  }
  std::string labels;
  for (const Label& label : sample.labels) {
    labels += (labels.empty() ? "" : " ") + label.ToString();
  }
  return {file, sample.id ? std::to_string(*sample.id) : "-",
          sample.key.value_or("no key"), labels, fields};
}

TEST_CASE("WebDatasetScanner reads every sample of the golden files",
          "[webdataset][golden]") {
  const std::string folder = kTestdata + "/golden/webdataset";
  std::vector<std::vector<std::string>> found;
  std::string last;
  for (const std::vector<std::string>& row : Expected(folder)) {
    if (row[0] == last) continue;
    last = row[0];
    const Found scanned = ScanTar(Contents(folder + "/" + last));
    INFO(last);
    CHECK(scanned.status.ToString() == "OK");
    for (const FoundSample& sample : scanned.samples) {
      found.push_back(Row(last, sample));
      for (const auto& [name, field] : sample.fields) {
        if (field.at_extents) CHECK(field.at_extents == field.bytes);
      }
    }
  }
  const auto expected = Expected(folder);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == expected[i]);
}

TEST_CASE("Every golden WebDataset file is listed", "[webdataset][golden]") {
  const std::string folder = kTestdata + "/golden/webdataset";
  const auto expected = Expected(folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".tar") == name.npos) continue;
    INFO(name);
    CHECK(std::ranges::any_of(expected,
                              [&](const auto& row) { return row[0] == name; }));
  }
}

// Of the golden archive and index of that name.
Status CheckGoldenIndex(const std::string& name) {
  const std::string stem = kTestdata + "/golden/webdataset/" + name;
  const Found found = ScanTar(Contents(stem + ".tar"));
  std::vector<std::uint64_t> offsets;
  for (const FoundSample& sample : found.samples) {
    offsets.push_back(sample.offset);
  }
  return CheckWdsIndex(LocalStorage(),
                       {.shard = stem + ".tar", .companion = stem + ".idx"},
                       offsets, {});
}

TEST_CASE("CheckWdsIndex accepts the golden index files of wds2idx",
          "[webdataset][idx][golden]") {
  for (const char* name :
       {"package", "gnu_tar_ustar", "gnu_tar_pax", "gnu_tar_v7"}) {
    INFO(name);
    CHECK(CheckGoldenIndex(name).ToString() == "OK");
  }
}

TEST_CASE("Every damaged WebDataset file gives its listed error",
          "[webdataset][corruption]") {
  const std::string folder = kTestdata + "/must_fail/webdataset";
  for (const std::vector<std::string>& row : Expected(folder)) {
    REQUIRE(row.size() == 4);
    INFO(row[0]);
    const Found found = ScanTar(Contents(folder + "/" + row[0]));
    const Status& status = found.status;
    INFO(status.ToString());
    CHECK(status.code() ==
          (row[1] == "corrupt" ? Code::kCorrupt : Code::kUnsupported));
    CHECK(status.where().path == "x.tar");
    CHECK(status.where().record == std::stoull(row[2]));
    CHECK(status.where().offset == std::stoull(row[3]));
    CHECK(found.samples.size() == std::stoull(row[2]));
  }
}

TEST_CASE("Every damaged WebDataset file is listed",
          "[webdataset][corruption]") {
  const std::string folder = kTestdata + "/must_fail/webdataset";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".tar") != name.npos) ++files;
  }
  CHECK(files == Expected(folder).size());
}

}  // namespace
}  // namespace shardine
