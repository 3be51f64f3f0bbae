// The checked-in files: golden ones that h5py wrote, and those that must be
// refused.
#include <map>

#include "hdf5/hdf5_format.h"
#include "io/local_storage.h"
#include "support/expected_files.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine {
namespace {

// The lines of a folder's expected.tsv by their file, without that.
std::map<std::string, std::vector<std::string>> LinesByFile(
    const std::string& folder) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const auto& row : ExpectedRows(folder)) {
    std::string line;
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += (i == 1 ? "" : "\t") + row[i];
    }
    lines[row[0]].push_back(std::move(line));
  }
  return lines;
}

// A sample as a line of the golden expected.tsv, without the file.
std::string Line(const ScannedRow& row) {
  std::string line = row.key.value_or("") + "\t";
  for (std::size_t i = 0; i < row.labels.size(); ++i) {
    line += (i == 0 ? "" : " ") + row.labels[i].ToString();
  }
  line += "\t" + row.class_name;
  for (const ScannedRow::Field& field : row.fields) {
    line += "\t" + field.name + "\t" + field.dtype + "\t";
    for (std::size_t i = 0; i < field.shape.size(); ++i) {
      line += (i == 0 ? "" : " ") + std::to_string(field.shape[i]);
    }
    line += "\t" + ToHex(field.bytes) + "\t" + (field.in_place ? "yes" : "no");
  }
  return line;
}

TEST_CASE("Hdf5Scanner reads every sample of h5py's golden files",
          "[hdf5][golden]") {
  const std::string folder = kTestdata + "/golden/hdf5";
  for (const auto& [name, lines] : LinesByFile(folder)) {
    INFO(name);
    Status status;
    const auto rows = ScanRows(LocalStorage(), folder + "/" + name, status);
    CHECK(status.ToString() == "OK");
    REQUIRE(rows.size() == lines.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      INFO("sample " << i);
      CHECK(Line(rows[i]) == lines[i]);
    }
  }
}

TEST_CASE("The HDF5 format tells the layout of h5py's golden files",
          "[hdf5][golden]") {
  const std::pair<const char*, const char*> layouts[] = {
      {"fuel.hdf5", "fuel"},    {"meta.hdf5", "fuel"},
      {"biggan.hdf5", "array"}, {"caffe.h5", "caffe"},
      {"classes.h5", "fuel"},   {"groups.h5", "fuel"},
      {"filters.h5", "fuel"},   {"user_block.h5", "fuel"}};
  for (const auto& [name, layout] : layouts) {
    INFO(name);
    const auto file = LocalStorage().Open(kTestdata + "/golden/hdf5/" + name);
    REQUIRE(file.ok());
    const auto choice = kHdf5Format.detect_layout(**file);
    REQUIRE(choice.ok());
    CHECK(choice->layout->name == layout);
    if (choice->layout->name == "array") CHECK(choice->value("chunk") == "2");
  }
}

TEST_CASE("Every HDF5 file that must fail gives its listed error",
          "[hdf5][corruption]") {
  const std::string folder = kTestdata + "/must_fail/hdf5";
  for (const auto& cells : ExpectedRows(folder)) {
    REQUIRE(cells.size() == 5);
    INFO(cells[0]);
    const std::string path = folder + "/" + cells[0];
    Status status;
    const auto rows = ScanRows(LocalStorage(), path, status);
    CHECK(rows.size() == std::stoull(cells[2]));
    CHECK(status.code() == CodeNamed(cells[1]));
    CHECK(status.where().path == path);
    CHECK(status.where().offset == NumberIn(cells[3]));
    CHECK_THAT(status.message(), Catch::Contains(cells[4]));
  }
}

TEST_CASE("Every HDF5 file that is checked in is listed",
          "[hdf5][corruption]") {
  CheckAllListed(kTestdata + "/must_fail/hdf5", {".h5", ".hdf5"});
  CheckAllListed(kTestdata + "/golden/hdf5", {".h5", ".hdf5"});
}

}  // namespace
}  // namespace shardine
