// The checked-in files: golden ones of other programs, and damaged ones.
#include "io/local_storage.h"
#include "support/expected_files.h"
#include "unit/webdataset/tar_bytes.h"
#include "webdataset/webdataset_index.h"

namespace shardine {
namespace {

std::string FieldText(const std::string& name, const FoundField& field) {
  std::string text = name + "=" + field.dtype + "(";
  for (std::size_t i = 0; i < field.shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(field.shape[i]);
  }
  text += ")";
  return text + ToHex(field.bytes);
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
  for (const std::vector<std::string>& row : ExpectedRows(folder)) {
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
  const auto expected = ExpectedRows(folder);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == expected[i]);
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
  for (const std::vector<std::string>& row : ExpectedRows(folder)) {
    REQUIRE(row.size() == 4);
    INFO(row[0]);
    const Found found = ScanTar(Contents(folder + "/" + row[0]));
    const Status& status = found.status;
    INFO(status.ToString());
    CHECK(status.code() == CodeNamed(row[1]));
    CHECK(status.where().path == "x.tar");
    CHECK(status.where().record == std::stoull(row[2]));
    CHECK(status.where().offset == std::stoull(row[3]));
    CHECK(found.samples.size() == std::stoull(row[2]));
  }
}

TEST_CASE("Every WebDataset file that is checked in is listed",
          "[webdataset][corruption]") {
  CheckAllListed(kTestdata + "/must_fail/webdataset", {".tar"});
  CheckAllListed(kTestdata + "/golden/webdataset", {".tar"});
}

}  // namespace
}  // namespace shardine
