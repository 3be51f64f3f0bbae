// Links and references of an HDF5 file that stand for more than the file has
// (parsers review 4, 5, 6).
#include <ctime>
#include <map>

#include "hdf5/hdf5_convention.h"
#include "hdf5/table_reader.h"
#include "unit/hdf5/library_file.h"
#include "unit/hdf5/opened_session.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::row_cost_test {
namespace {

Status ScanOf(const std::string& bytes, std::size_t& rows) {
  MemoryStorage storage;
  storage.Put("x.h5", bytes);
  Status status;
  rows = ScanRows(storage, "x.h5", status).size();
  return status;
}

// Rows of variable length that all refer to the first row's object.
std::string Aliased(std::size_t rows, std::size_t row_bytes) {
  LibraryFile file;
  std::vector<std::string> images(rows, "x");
  images[0] = std::string(row_bytes, 'j');
  file.PutRows("images", H5T_STD_U8LE, images);
  const haddr_t at = H5Dget_offset(file.Open("images").get());
  std::string bytes = file.Bytes();
  for (std::size_t row = 1; row < rows; ++row) {
    bytes.replace(at + 16 * row, 16, bytes.substr(at, 16));
  }
  return bytes;
}

TEST_CASE("Rows of one object of a heap end where the file's bytes do",
          "[hdf5][cost]") {
  std::size_t rows = 0;
  // A second name for a row is read.
  CHECK(ScanOf(Aliased(2, 4000), rows).ToString() == "OK");
  for (const std::size_t count : {30, 60, 120}) {
    const std::string bytes = Aliased(count, 40'000);
    const Status status = ScanOf(bytes, rows);
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains("shares its bytes"));
    CHECK(rows * 40'000 <= 2 * bytes.size());
  }
}

TEST_CASE("A dataset under many names takes no more memory than the file",
          "[hdf5][cost]") {
  LibraryFile file;
  constexpr hsize_t kRow = hsize_t{1} << 20;
  // Packed to a few kilobytes.
  file.Put("images", H5T_STD_U8LE, {1, kRow}, std::string(kRow, 'i'),
           {.chunk = {1, kRow}, .deflate = true});
  const auto link = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = "x" + std::to_string(i);
      REQUIRE(H5Lcreate_hard(file.id(), "images", file.id(), name.c_str(),
                             H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
  };
  std::size_t rows = 0;
  link(0, 2);
  CHECK(ScanOf(file.Bytes(), rows).ToString() == "OK");
  link(2, 100);
  const Status status = ScanOf(file.Bytes(), rows);
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::Contains("may be links to one"));
}

TEST_CASE("More rows and fields than a file can hold are refused at once",
          "[hdf5][cost]") {
  LibraryFile file;
  // Rows without a byte.
  file.Put("images", H5T_STD_U8LE, {1'000'000, 0}, "");
  for (int i = 0; i < 30; ++i) {
    const std::string name = "x" + std::to_string(i);
    REQUIRE(H5Lcreate_hard(file.id(), "images", file.id(), name.c_str(),
                           H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  std::size_t rows = 0;
  const Status status = ScanOf(file.Bytes(), rows);
  CHECK(rows == 0);
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::Contains("far more than a file of"));
}

TEST_CASE("A group of many links to a dataset is read, or refused as such",
          "[hdf5][cost]") {
  LibraryFile file;
  file.PutRows("train/c0", H5T_STD_U8LE, {"\xff\xd8\xff\xe0"});
  for (int i = 1; i < 300; ++i) {
    const std::string name = "train/c" + std::to_string(i);
    REQUIRE(H5Lcreate_hard(file.id(), "train/c0", file.id(), name.c_str(),
                           H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  std::size_t rows = 0;
  CHECK(ScanOf(file.Bytes(), rows).ToString() == "OK");
  CHECK(rows == 300);
}

TEST_CASE("Classes are numbered in a time that grows with their number",
          "[hdf5][cost]") {
  std::vector<Hdf5Dataset> datasets;
  double before = 0;
  for (std::size_t count = 12'500; count <= 100'000; count *= 2) {
    while (datasets.size() < count) {
      Hdf5Dataset dataset;
      dataset.group = "train";
      dataset.name = "c" + std::to_string(1'000'000 + datasets.size());
      dataset.row = Hdf5Row::kSequence;
      dataset.element = {'u', 1, false};
      dataset.dims = {1};
      datasets.push_back(std::move(dataset));
    }
    const std::clock_t begin = std::clock();
    const auto content = FindContent(datasets);
    const double seconds =
        static_cast<double>(std::clock() - begin) / double{CLOCKS_PER_SEC};
    REQUIRE(content.ok());
    CHECK(content->tables.back().class_label ==
          static_cast<std::int64_t>(count - 1));
    CAPTURE(count, seconds, before);
    CHECK(seconds <= 3 * before + 0.5);
    before = seconds;
  }
}

// Where the messages of an object header of the first version have their bytes,
// by type.
std::map<unsigned, std::size_t> MessagesAt(const LibraryFile& file,
                                           const std::string& bytes) {
  H5O_info_t info;
  REQUIRE(H5Oget_info(file.Open("images").get(), &info) >= 0);
  const ByteView view = AsBytes(bytes);
  std::map<unsigned, std::size_t> found;
  std::size_t at = info.addr + 16;
  const std::size_t end = at + LoadLe<std::uint32_t>(&view[info.addr + 8]);
  while (at < end) {
    found[LoadLe<std::uint16_t>(&view[at])] = at + 8;
    at += std::size_t{8} + LoadLe<std::uint16_t>(&view[at + 2]);
  }
  return found;
}

// Parsers review 6. Layouts of version 5 are those of HDF5 2.0.
TEST_CASE("A form that the library does not know is no damage",
          "[hdf5][cost]") {
  LibraryFile file;
  file.Put("images", H5T_STD_U8LE, {2, 3}, "abcdef",
           {.chunk = {1, 3}, .deflate = true});
  const std::string bytes = file.Bytes();
  const std::map<unsigned, std::size_t> messages = MessagesAt(file, bytes);
  const auto scan = [&](std::size_t at, char byte) {
    std::string changed = bytes;
    changed[at] = byte;
    std::size_t rows = 0;
    return ScanOf(changed, rows);
  };
  const auto newer = [&](std::size_t at, char version) {
    const Status status = scan(at, version);
    INFO(status.ToString());
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains("version") &&
                                     Catch::Contains("newer HDF5 than 1.") &&
                                     Catch::Contains("h5py writes files"));
  };
  newer(8, 9);  // of the superblock
  constexpr unsigned kDataspace = 1;
  constexpr unsigned kDatatype = 3;
  constexpr unsigned kFillValue = 5;
  constexpr unsigned kLayout = 8;
  constexpr unsigned kFilters = 11;
  for (const unsigned message : {kDataspace, kFillValue, kLayout, kFilters}) {
    INFO(message);
    newer(messages.at(message), 5);
  }
  // Its class stands in the same byte.
  newer(messages.at(kDatatype), 5 << 4);
  // A fault that the library finds is damage.
  CHECK(scan(messages.at(kLayout) + 1, 77).code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::row_cost_test
