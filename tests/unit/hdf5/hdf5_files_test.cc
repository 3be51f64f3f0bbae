// The checked-in files: golden ones that h5py wrote, and those that must be
// refused.
#include <filesystem>
#include <map>

#include "hdf5/hdf5_format.h"
#include "io/local_storage.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine {
namespace {

const std::string kTestdata = SHARDINE_TESTDATA;

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

// The lines of a folder's expected.tsv by their file, without that.
std::map<std::string, std::vector<std::string>> Expected(
    const std::string& folder) {
  const auto text = ReadFile(LocalStorage(), folder + "/expected.tsv", 1 << 20);
  REQUIRE(text.ok());
  std::map<std::string, std::vector<std::string>> lines;
  for (const std::string& line : Split(*text, '\n')) {
    const std::size_t tab = line.find('\t');
    lines[line.substr(0, tab)].push_back(line.substr(tab + 1));
  }
  REQUIRE_FALSE(lines.empty());
  return lines;
}

std::string Hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
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
    line += "\t" + Hex(field.bytes) + "\t" + (field.in_place ? "yes" : "no");
  }
  return line;
}

TEST_CASE("Hdf5Scanner reads every sample of h5py's golden files",
          "[hdf5][golden]") {
  const std::string folder = kTestdata + "/golden/hdf5";
  for (const auto& [name, lines] : Expected(folder)) {
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
  const auto expected = Expected(folder);
  for (const auto& [name, lines] : expected) {
    INFO(name);
    const auto cells = Split(lines[0], '\t');
    REQUIRE(cells.size() == 4);
    Status status;
    const auto rows = ScanRows(LocalStorage(), folder + "/" + name, status);
    CHECK(rows.size() == std::stoull(cells[1]));
    CHECK(status.code() ==
          (cells[0] == "corrupt" ? Code::kCorrupt : Code::kUnsupported));
    CHECK(status.where().path == folder + "/" + name);
    CHECK((status.where().offset ? std::to_string(*status.where().offset)
                                 : std::string()) == cells[2]);
    CHECK_THAT(status.message(), Catch::Contains(cells[3]));
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string suffix = entry.path().extension();
    if (suffix == ".h5") ++files;
  }
  CHECK(files == expected.size());
}

}  // namespace
}  // namespace shardine
