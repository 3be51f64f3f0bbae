// Links and references of an HDF5 file that stand for more than the file has
// (parsers review 4, 5, 6).
#include <ctime>

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

TEST_CASE("A form that the library does not know is no damage",
          "[hdf5][cost]") {
  LibraryFile file;
  file.Put("images", H5T_STD_U8LE, {2, 3}, "abcdef");
  const haddr_t at = H5Dget_offset(file.Open("images").get());
  std::string bytes = file.Bytes();
  // A contiguous layout: version 3, class 1, address, size.
  std::string layout("\3\1", 2);
  AppendLe(std::uint64_t{at}, layout);
  const std::size_t found = bytes.find(layout);
  REQUIRE(found != bytes.npos);
  bytes[found] = 5;
  std::size_t rows = 0;
  const Status status = ScanOf(bytes, rows);
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(),
             Catch::Contains("bad version number for layout message") &&
                 Catch::Contains("newer HDF5 than 1."));
  // What the library finds to be wrong is damage.
  bytes[found] = 3;
  bytes[found + 1] = 77;
  CHECK(ScanOf(bytes, rows).code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::row_cost_test
