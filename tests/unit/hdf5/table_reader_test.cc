#include "hdf5/table_reader.h"

#include <cmath>
#include <limits>

#include "unit/hdf5/library_file.h"
#include "unit/hdf5/opened_session.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::table_reader_test {
namespace {

// Images of one byte each for so many rows.
void PutImages(LibraryFile& file, std::size_t rows) {
  file.Put("imgs", H5T_STD_U8LE, {rows, 1, 1, 1}, std::string(rows, 'i'));
}

std::vector<ScannedRow> Scan(const LibraryFile& file, Status& status) {
  MemoryStorage storage;
  storage.Put("x.h5", file.Bytes());
  return ScanRows(storage, "x.h5", status);
}
std::vector<ScannedRow> Scan(const LibraryFile& file) {
  Status status;
  auto rows = Scan(file, status);
  CHECK(status.ToString() == "OK");
  return rows;
}

// The labels of a file whose `labels` are these.
std::vector<std::vector<Label>> LabelsOf(hid_t type, hid_t memory,
                                         const Dims& dims,
                                         const std::string& elements) {
  LibraryFile file;
  PutImages(file, dims[0]);
  file.Put("labels", type, memory, dims, elements);
  std::vector<std::vector<Label>> labels;
  for (ScannedRow& row : Scan(file)) labels.push_back(std::move(row.labels));
  return labels;
}

template <typename T>
void CheckIntegers(hid_t type, hid_t memory) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values = {0,
                                 1,
                                 100,
                                 Limits::max(),
                                 static_cast<T>(Limits::min() + 1),
                                 static_cast<T>(Limits::max() / 2)};
  const auto labels = LabelsOf(type, memory, {values.size()}, Packed(values));
  REQUIRE(labels.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO("value " << +values[i]);
    CHECK(labels[i] ==
          std::vector<Label>{Label(static_cast<std::int64_t>(values[i]))});
  }
}

TEST_CASE("Integer labels of every type and order are read as they are",
          "[hdf5][table]") {
  CheckIntegers<std::int8_t>(H5T_STD_I8LE, H5T_NATIVE_INT8);
  CheckIntegers<std::int16_t>(H5T_STD_I16LE, H5T_NATIVE_INT16);
  CheckIntegers<std::int16_t>(H5T_STD_I16BE, H5T_NATIVE_INT16);
  CheckIntegers<std::int32_t>(H5T_STD_I32LE, H5T_NATIVE_INT32);
  CheckIntegers<std::int32_t>(H5T_STD_I32BE, H5T_NATIVE_INT32);
  CheckIntegers<std::int64_t>(H5T_STD_I64LE, H5T_NATIVE_INT64);
  CheckIntegers<std::int64_t>(H5T_STD_I64BE, H5T_NATIVE_INT64);
  CheckIntegers<std::uint8_t>(H5T_STD_U8LE, H5T_NATIVE_UINT8);
  CheckIntegers<std::uint16_t>(H5T_STD_U16LE, H5T_NATIVE_UINT16);
  CheckIntegers<std::uint32_t>(H5T_STD_U32BE, H5T_NATIVE_UINT32);
  // The least of a type stands for none in the widest alone.
  CHECK(LabelsOf(H5T_STD_I8LE, H5T_NATIVE_INT8, {1}, "\x80")[0] ==
        std::vector<Label>{Label(-128)});
  CHECK(LabelsOf(
            H5T_STD_I64LE, H5T_NATIVE_INT64, {1},
            Packed<std::int64_t>({std::numeric_limits<std::int64_t>::min()}))[0]
            .empty());
}

TEST_CASE("A label beyond the integers of 64 bits is refused by its record",
          "[hdf5][table]") {
  const std::uint64_t most = std::uint64_t{1} << 63;
  LibraryFile file;
  PutImages(file, 3);
  file.Put("labels", H5T_STD_U64LE, {3},
           Packed<std::uint64_t>({most - 1, most, 0}));
  Status status;
  const auto rows = Scan(file, status);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].labels[0].integer() ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().record == 1);
  CHECK_THAT(status.message(), Catch::Contains("9223372036854775808"));
}

TEST_CASE("Labels of half floats are the numbers that the library reads",
          "[hdf5][table]") {
  const Hdf5Lock lock;
  const Hdf5Id half(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tset_fields(half.get(), 15, 10, 5, 0, 10);
  H5Tset_precision(half.get(), 16);
  H5Tset_ebias(half.get(), 15);
  H5Tset_size(half.get(), 2);
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<std::uint16_t>(i);
  }
  LibraryFile file;
  PutImages(file, bits.size());
  file.Put("labels", half.get(), {bits.size()}, Packed(bits));
  const auto expected =
      ValuesOf<double>(ElementsOf(file.Open("labels"), H5T_NATIVE_DOUBLE));
  const auto rows = Scan(file);
  REQUIRE(rows.size() == bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    // A NaN alone is no label.
    std::vector<Label> labels;
    if (!std::isnan(expected[i])) labels = {Label::FromReal(expected[i])};
    if (!(rows[i].labels == labels)) FAIL("half " << i);
  }
}

TEST_CASE("Labels of floats keep every number, and a NaN alone is none",
          "[hdf5][table]") {
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {0.1,  -0.0,     1e300, 5e-324,   7,
                                      -0.5, infinite, nan,   -infinite};
  for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F64BE}) {
    const auto labels =
        LabelsOf(type, H5T_NATIVE_DOUBLE, {values.size(), 1}, Packed(values));
    REQUIRE(labels.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO(values[i]);
      if (std::isnan(values[i])) {
        CHECK(labels[i].empty());
      } else {
        CHECK(labels[i] == std::vector<Label>{Label::FromReal(values[i])});
      }
    }
  }
  const auto labels =
      LabelsOf(H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, {1}, Packed<float>({0.1F}));
  CHECK(labels[0] == std::vector<Label>{Label::FromReal(double{0.1F})});
}

TEST_CASE("Several labels a row are all labels, and a NaN is none of them",
          "[hdf5][table]") {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const auto labels = LabelsOf(H5T_STD_I64LE, H5T_NATIVE_INT64, {2, 3},
                               Packed<std::int64_t>({1, least, 3, 4, 5, 6}));
  CHECK(labels[0] == std::vector<Label>{Label(1), Label(least), Label(3)});
  CHECK(labels[1] == std::vector<Label>{Label(4), Label(5), Label(6)});
  CHECK(LabelsOf(H5T_STD_I64LE, H5T_NATIVE_INT64, {2, 0}, "")[1].empty());

  LibraryFile file;
  PutImages(file, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  file.Put("labels", H5T_IEEE_F64LE, {2, 2}, Packed<double>({1, 2.5, 3, nan}));
  Status status;
  const auto rows = Scan(file, status);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].labels == std::vector<Label>{Label(1), Label::FromReal(2.5)});
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().record == 1);
}

TEST_CASE("Keys are strings of any kind up to their first NUL, or bytes",
          "[hdf5][table]") {
  const std::string key = "caf\xc3\xa9/\xff.jpg";
  const auto keys_of = [&](auto put) {
    LibraryFile file;
    PutImages(file, 3);
    put(file);
    std::vector<std::string> keys;
    for (const ScannedRow& row : Scan(file)) keys.push_back(row.key.value());
    return keys;
  };
  const std::vector<std::string> expected = {key, "", "b"};
  CHECK(keys_of([&](LibraryFile& file) {
          file.PutTexts("filenames", {key.c_str(), nullptr, "b"}, {3});
        }) == expected);
  CHECK(keys_of([&](LibraryFile& file) {
          file.PutTexts("filenames", {key.c_str(), "", "b"}, {3, 1});
        }) == expected);
  CHECK(keys_of([&](LibraryFile& file) {
          file.PutRows("filenames", H5T_STD_U8LE, {key, "", "b"});
        }) == expected);
  CHECK(keys_of([&](LibraryFile& file) {
          const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
          H5Tset_size(type.get(), 16);
          std::string texts = key;
          texts.resize(16);
          texts.resize(32);
          file.Put("filenames", type.get(), {3},
                   texts + "b" + std::string(15, '\0'));
        }) == expected);
  // Keys with a NUL inside are whole beside the others.
  CHECK(keys_of([&](LibraryFile& file) {
          file.PutTexts("filenames", {"a", "x", "b"}, {3});
          file.PutRows("filenames.bytes", H5T_STD_U8LE,
                       {std::string("a\0a", 3), "", std::string(1, '\0')});
        }) == std::vector<std::string>{std::string("a\0a", 3), "x",
                                       std::string(1, '\0')});
  LibraryFile file;
  PutImages(file, 2);
  CHECK_FALSE(Scan(file)[0].key.has_value());
}

TEST_CASE("Texts of fixed size are bytes without their padding",
          "[hdf5][table]") {
  const Hdf5Lock lock;
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), 4);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  const std::string texts("abcda\0b\0\0\0\0\0x\0\0\0", 16);
  LibraryFile file;
  PutImages(file, 4);
  file.Put("words", type.get(), {4}, texts);
  file.Put("zipped", type.get(), {4, 1}, texts,
           {.chunk = {2, 1}, .deflate = true});
  const auto rows = Scan(file);
  REQUIRE(rows.size() == 4);
  const std::string expected[] = {"abcd", std::string("a\0b", 3), "", "x"};
  for (std::size_t i = 0; i < 4; ++i) {
    for (const std::size_t field : {1U, 2U}) {
      CHECK(rows[i].fields[field].bytes == expected[i]);
      CHECK(rows[i].fields[field].dtype == "|S");
      CHECK(rows[i].fields[field].shape.empty());
      // ScanRows compares the file there with the bytes.
      CHECK(rows[i].fields[field].in_place == (field == 1));
    }
  }
}

TEST_CASE(
    "Rows of variable length are bytes, or arrays of the shape beside them",
    "[hdf5][table]") {
  const std::vector<std::string> floats = {std::string(24, 'f'), "", "1234"};
  LibraryFile file;
  PutImages(file, 3);
  file.PutRows("a", H5T_STD_U8LE, {"xyz", "", "y"});
  file.PutRows("b", H5T_IEEE_F32LE, floats);
  file.PutRows("c", H5T_IEEE_F32LE, floats);
  file.PutRows(
      "c.shape", H5T_STD_U64LE,
      {Packed<std::uint64_t>({2, 1, 3}), Packed<std::uint64_t>({7, 0, 1}), ""});
  file.PutRows("d", H5T_STD_U8LE, {"abcdef", "", "x"});
  file.PutRows("d.shape", H5T_STD_U64BE, H5T_STD_U64LE,
               {Packed<std::uint64_t>({3, 2}), Packed<std::uint64_t>({0}),
                Packed<std::uint64_t>({1})});
  const auto rows = Scan(file);
  using Shape = std::vector<std::uint64_t>;
  const auto check = [&](std::size_t field, const char* dtype,
                         const std::vector<Shape>& shapes) {
    for (std::size_t row = 0; row < 3; ++row) {
      INFO("field " << field << ", row " << row);
      CHECK(rows[row].fields[field].dtype == dtype);
      CHECK(rows[row].fields[field].shape == shapes[row]);
    }
  };
  REQUIRE(rows.size() == 3);
  check(0, "|S", {{}, {}, {}});
  check(1, "<f4", {{6}, {0}, {1}});
  check(2, "<f4", {{2, 1, 3}, {7, 0, 1}, {}});
  check(3, "|u1", {{3, 2}, {0}, {1}});
}

TEST_CASE("A shape that is not its row's is damage, by field and record",
          "[hdf5][table][hostile]") {
  const std::uint64_t huge = std::uint64_t{1} << 62;
  for (const std::vector<std::uint64_t>& shape :
       {std::vector<std::uint64_t>{2}, {4}, {3, 0}, {huge, 4}, {~0ULL}, {}}) {
    LibraryFile file;
    PutImages(file, 2);
    file.PutRows("points", H5T_IEEE_F32LE, {"12345678abcd", "12345678abcd"});
    file.PutRows("points.shape", H5T_STD_U64LE,
                 {Packed<std::uint64_t>({3}), Packed(shape)});
    Status status;
    CHECK(Scan(file, status).size() == 1);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().record == 1);
    CHECK_THAT(status.message(), Catch::Contains("\"points\" has 12 bytes"));
  }
}

TEST_CASE("A sample has a field where its flag is not 0", "[hdf5][table]") {
  LibraryFile file;
  PutImages(file, 4);
  file.PutRows("a", H5T_STD_U8LE, {"x", "y", "", "z"});
  file.Put("a.present", H5T_STD_U8LE, {4}, std::string("\0\1\2\0", 4));
  const auto rows = Scan(file);
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(rows[i].fields.size() == (i == 0 || i == 3 ? 1 : 2));
  }
  CHECK(rows[1].fields[0].bytes == "y");
}

TEST_CASE(
    "A group that is an image has its bytes, or its array, and its labels",
    "[hdf5][table]") {
  LibraryFile file;
  file.Put("2/data", H5T_STD_U8LE, {5}, "jpeg!");
  file.Put("2/target", H5T_STD_I16LE, {}, Packed<std::int16_t>({7}));
  file.Put("10/data", H5T_STD_U8LE, {2, 1, 3}, "abcdef",
           {.chunk = {1, 1, 3}, .deflate = true});
  file.Put("10/target", H5T_STD_U8LE, {3}, "\1\2\3");
  file.Put("11/data", H5T_STD_U16LE, {3}, "aabbcc");
  const auto rows = Scan(file);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].fields[0].dtype == "|S");
  CHECK(rows[0].fields[0].bytes == "jpeg!");
  CHECK(rows[0].fields[0].in_place);
  CHECK(rows[0].labels == std::vector<Label>{Label(7)});
  CHECK(rows[1].fields[0].dtype == "|u1");
  CHECK(rows[1].fields[0].shape == std::vector<std::uint64_t>{2, 1, 3});
  CHECK(rows[1].fields[0].bytes == "abcdef");
  CHECK(rows[1].labels == std::vector<Label>{Label(1), Label(2), Label(3)});
  CHECK(rows[2].fields[0].dtype == "<u2");
  CHECK(rows[2].fields[0].shape == std::vector<std::uint64_t>{3});
  CHECK(rows[2].labels.empty());
}

TEST_CASE("A record begins where its image does", "[hdf5][table]") {
  LibraryFile file;
  file.PutRows("a", H5T_STD_U8LE, {"first", "second"});
  file.PutRows("images", H5T_STD_U8LE, {"1234", "567"});
  OpenedSession opened(file.Bytes());
  const auto content = FindContent(opened.session().datasets());
  REQUIRE(content.ok());
  TablesOfFile tables(opened.file(), opened.session());
  const auto reader = TableReader::Open(opened.file(), opened.session(),
                                        content->tables[0], tables);
  REQUIRE(reader.ok());
  for (const std::uint64_t row : {1U, 0U}) {
    const auto sample = (*reader)->Read(row);
    REQUIRE(sample.ok());
    const std::string bytes = row == 0 ? "1234" : "567";
    const Extent at{sample->record_offset, bytes.size()};
    CHECK(BytesAt(opened.file(), {&at, 1}) == bytes);
  }
}

}  // namespace
}  // namespace shardine::table_reader_test
