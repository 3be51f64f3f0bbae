#include "hdf5/hdf5_scanner.h"

#include <cerrno>

#include "support/draws.h"
#include "support/fault_storage.h"
#include "unit/hdf5/library_file.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::hdf5_scanner_test {
namespace {

std::string FileOfClasses() {
  LibraryFile file;
  file.PutRows("train/b", H5T_STD_U8LE, {"b0", "b1"});
  file.PutRows("train/a", H5T_STD_U8LE, {});
  file.PutRows("train/c", H5T_STD_U8LE, {"c0"});
  file.PutRows("val/a", H5T_STD_U8LE, {"a0", ""});
  file.PutRows("val/z", H5T_STD_U8LE, {});
  return file.Bytes();
}

// Images under a filter, labels, texts and a field of variable length.
std::string FileOfFields() {
  Draws draws(60);
  LibraryFile file;
  file.Put("imgs", H5T_STD_U8LE, {40, 3, 8, 8}, draws.Bytes(40 * 192),
           {.chunk = {8, 3, 8, 8}, .deflate = true});
  file.Put("labels", H5T_STD_I32BE, {40}, draws.Bytes(160));
  std::vector<std::string> rows;
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) {
    rows.emplace_back(4 * draws.Below(25'000 + 1), static_cast<char>(i));
    keys.push_back("key" + std::to_string(i));
  }
  std::vector<const char*> texts;
  for (const std::string& key : keys) texts.push_back(key.c_str());
  file.PutTexts("filenames", texts, {40});
  file.PutRows("points", H5T_IEEE_F32LE, rows);
  file.Put("masks", H5T_STD_U8LE, {40, 5}, draws.Bytes(200), {.chunk = {3, 2}});
  return file.Bytes();
}

TEST_CASE("A scan numbers samples through all tables, also empty ones",
          "[hdf5][scanner]") {
  MemoryStorage storage;
  storage.Put("x.h5", FileOfClasses());
  const auto file = storage.Open("x.h5");
  const auto scanner = OpenHdf5Scanner(**file, SandboxPool::Global());
  REQUIRE(scanner.status().ToString() == "OK");
  // Groups and datasets come in the order of their names.
  const std::tuple<const char*, const char*, int> expected[] = {{"b0", "b", 1},
                                                                {"b1", "b", 1},
                                                                {"c0", "c", 2},
                                                                {"a0", "a", 0},
                                                                {"", "a", 0}};
  std::uint64_t record = 0;
  for (const auto& [bytes, name, label] : expected) {
    const auto sample = (*scanner)->Next();
    REQUIRE(sample.status().ToString() == "OK");
    REQUIRE(sample->has_value());
    CHECK((*sample)->record == record++);
    CHECK((*sample)->class_name == name);
    REQUIRE((*sample)->labels.size() == 1);
    CHECK((*sample)->labels[0] == Label(label));
    REQUIRE((*sample)->fields.size() == 1);
    CHECK(AsText((*sample)->fields[0].bytes) == bytes);
  }
  // The end stays the end.
  for (int i = 0; i < 3; ++i) {
    const auto end = (*scanner)->Next();
    REQUIRE(end.ok());
    CHECK_FALSE(end->has_value());
  }
}

bool IsSame(const ScannedRow& a, const ScannedRow& b) {
  if (a.key != b.key || a.labels != b.labels ||
      a.fields.size() != b.fields.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (a.fields[i].bytes != b.fields[i].bytes ||
        a.fields[i].shape != b.fields[i].shape) {
      return false;
    }
  }
  return true;
}

TEST_CASE("A failure at any read of a file ends its scan with the cause",
          "[hdf5][scanner][fault]") {
  MemoryStorage memory;
  memory.Put("x.h5", FileOfFields());
  Status status;
  const auto intact = ScanRows(memory, "x.h5", status);
  REQUIRE(status.ToString() == "OK");
  REQUIRE(intact.size() == 40);
  std::uint64_t call = 0;
  for (;; ++call) {
    REQUIRE(call < 5000);
    FaultStorage storage(memory, {Operation::kRead, call, EIO});
    const auto file = storage.Open("x.h5");
    REQUIRE(file.ok());
    // The bytes at the extents are compared in another file.
    const auto scanner = OpenHdf5Scanner(**file, SandboxPool::Global());
    status = scanner.status();
    std::uint64_t rows = 0;
    while (status.ok()) {
      const auto sample = (*scanner)->Next();
      status = sample.status();
      if (!sample.ok() || !*sample) break;
      ++rows;
    }
    if (!storage.struck()) {
      CHECK(status.ok());
      CHECK(rows == 40);
      break;
    }
    INFO("read " << call << ": " << status.ToString());
    CHECK(status.code() == Code::kIo);
    CHECK(status.system_error() == EIO);
    CHECK(status.where().path == "x.h5");
    CHECK(rows < 40);
    // The process that was asking goes on with another file.
    if (call % 4 == 0) {
      const auto again = ScanRows(memory, "x.h5", status);
      REQUIRE(again.size() == 40);
      CHECK(IsSame(again[39], intact[39]));
    }
  }
  CHECK(call > 10);
}

TEST_CASE("A scan that failed goes on failing at the same record",
          "[hdf5][scanner]") {
  LibraryFile library;
  library.Put("imgs", H5T_STD_U8LE, {3, 1, 1, 1}, "abc");
  library.Put("labels", H5T_STD_U64LE, {3},
              Packed<std::uint64_t>({1, ~std::uint64_t{0}, 3}));
  MemoryStorage storage;
  storage.Put("x.h5", library.Bytes());
  const auto file = storage.Open("x.h5");
  const auto scanner = OpenHdf5Scanner(**file, SandboxPool::Global());
  REQUIRE(scanner.ok());
  REQUIRE((*scanner)->Next().ok());
  for (int i = 0; i < 3; ++i) {
    const Status status = (*scanner)->Next().status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().record == 1);
    CHECK(status.where().path == "x.h5");
  }
}

TEST_CASE("Two scans of one file at once each give all of it",
          "[hdf5][scanner]") {
  MemoryStorage storage;
  storage.Put("x.h5", FileOfFields());
  Status status;
  const auto intact = ScanRows(storage, "x.h5", status);
  const auto file = storage.Open("x.h5");
  const auto a = OpenHdf5Scanner(**file, SandboxPool::Global());
  const auto b = OpenHdf5Scanner(**file, SandboxPool::Global());
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  for (std::size_t i = 0; i < intact.size(); ++i) {
    for (const auto* scanner : {&a, &b}) {
      const auto sample = (**scanner)->Next();
      REQUIRE(sample.ok());
      REQUIRE(sample->has_value());
      CHECK((*sample)->key == intact[i].key);
      REQUIRE((*sample)->fields.size() == 3);
      CHECK((AsText((*sample)->fields[0].bytes) == intact[i].fields[0].bytes));
    }
  }
}

TEST_CASE("What is no HDF5 file is damage, with path", "[hdf5][scanner]") {
  MemoryStorage storage;
  storage.Put("empty.h5", "");
  storage.Put("text.h5", std::string(5000, 't'));
  storage.PutSparse("zeros.h5", std::uint64_t{1} << 40);
  for (const std::string path : {"empty.h5", "text.h5", "zeros.h5"}) {
    Status status;
    CHECK(ScanRows(storage, path, status).empty());
    INFO(status.ToString());
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == path);
  }
}

// The first `rows` rows of bytes, in chunks of two.
void PutFirst(LibraryFile& file, const std::string& name, const Dims& dims,
              hsize_t rows, StoredAs as = {}) {
  as.chunk = dims;
  as.chunk[0] = 2;
  const Hdf5Id dataset = file.Create(name, H5T_STD_U8LE, dims, as);
  if (rows == 0) return;
  Dims part = dims;
  part[0] = rows;
  const Dims start(dims.size(), 0);
  const Hdf5Id in_file(H5Dget_space(dataset.get()), H5Sclose);
  H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr,
                      part.data(), nullptr);
  const Hdf5Id in_memory(
      H5Screate_simple(static_cast<int>(part.size()), part.data(), nullptr),
      H5Sclose);
  const std::string bytes(CountOf(part), 'x');
  REQUIRE(H5Dwrite(dataset.get(), H5T_STD_U8LE, in_memory.get(), in_file.get(),
                   H5P_DEFAULT, bytes.data()) >= 0);
}

std::vector<std::string> WarningsOf(const LibraryFile& file) {
  MemoryStorage storage;
  storage.Put("x.h5", file.Bytes());
  const auto opened = storage.Open("x.h5");
  const auto scanner = OpenHdf5Scanner(**opened, SandboxPool::Global());
  REQUIRE(scanner.status().ToString() == "OK");
  std::uint64_t samples = 0;
  while (*(*scanner)->Next()) ++samples;
  CHECK(samples == 7);
  const auto warnings = (*scanner)->Warnings();
  REQUIRE(warnings.status().ToString() == "OK");
  return *warnings;
}

TEST_CASE("A scan warns of each dataset that was written in part",
          "[hdf5][scanner]") {
  const bool deflate = GENERATE(false, true);
  LibraryFile file;
  PutFirst(file, "images", {7, 4, 4, 3}, 3, {.deflate = deflate});
  PutFirst(file, "labels", {7}, 7, {.deflate = deflate});
  PutFirst(file, "mask", {7, 4, 4}, 0, {.deflate = deflate});
  file.Create("weight", H5T_IEEE_F32LE, {7});
  CHECK(WarningsOf(file) ==
        std::vector<std::string>{
            "the dataset \"images\" has 2 of 4 chunks that were never "
            "written: their rows are zeros",
            "the dataset \"mask\" was never written: its rows are zeros",
            "the dataset \"weight\" was never written: its rows are zeros"});
}

TEST_CASE("A scan is content with rows that a chosen fill value stands for",
          "[hdf5][scanner]") {
  const std::uint8_t unknown = 255;
  const std::uint8_t zero = 0;
  const bool is_meant = GENERATE(false, true);
  LibraryFile file;
  file.Put("images", H5T_STD_U8LE, {7, 4, 4, 3}, std::string(7 * 48, 'x'));
  PutFirst(file, "labels", {7}, 2, {.fill = is_meant ? &unknown : &zero});
  CHECK(WarningsOf(file).size() == (is_meant ? 0U : 1U));
}

TEST_CASE("A scan warns of eight datasets and counts no further",
          "[hdf5][scanner]") {
  LibraryFile file;
  file.Put("images", H5T_STD_U8LE, {7, 4, 4, 3}, std::string(7 * 48, 'x'));
  for (int i = 0; i < 20; ++i) {
    PutFirst(file, "field" + std::to_string(i), {7, 2}, 1);
  }
  CHECK(WarningsOf(file).size() == 9);
}

}  // namespace
}  // namespace shardine::hdf5_scanner_test
