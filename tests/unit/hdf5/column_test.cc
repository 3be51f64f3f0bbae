#include "hdf5/column.h"

#include <algorithm>
#include <numeric>

#include "support/draws.h"
#include "unit/hdf5/library_file.h"
#include "unit/hdf5/opened_session.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::column_test {
namespace {

struct Type {
  hid_t in_file;
  hid_t little;  // the same, little-endian
  bool swapped = false;
};

Type DrawType(Draws& draws) {
  switch (draws.Below(7)) {
    case 0:
      return {H5T_STD_U8LE, H5T_STD_U8LE};
    case 1:
      return {H5T_STD_I16LE, H5T_STD_I16LE};
    case 2:
      return {H5T_STD_U32BE, H5T_STD_U32LE, true};
    case 3:
      return {H5T_IEEE_F64LE, H5T_IEEE_F64LE};
    case 4:
      return {H5T_IEEE_F32BE, H5T_IEEE_F32LE, true};
    case 5:
      // One byte has no order.
      return {H5T_STD_U8BE, H5T_STD_U8LE};
    default:
      return {H5T_STD_I64BE, H5T_STD_I64LE, true};
  }
}

// A dataset that was drawn, with its elements as they are little-endian.
struct Drawn {
  std::string name;
  Dims dims;
  std::string elements;
  bool in_place = false;  // rows lie in the file as they are

  std::string Row(std::uint64_t row) const {
    const std::size_t bytes = elements.size() / dims[0];
    return elements.substr(row * bytes, bytes);
  }
};

Drawn Draw(Draws& draws, LibraryFile& file, int number) {
  Drawn drawn;
  drawn.name = std::to_string(number);
  const Type type = DrawType(draws);
  StoredAs as;
  const auto kind = draws.Below(6);
  for (std::uint32_t axis = draws.Below(4) + 1; axis > 0; --axis) {
    drawn.dims.push_back(1 + draws.Below(7));
    if (kind >= 2) as.chunk.push_back(1 + draws.Below(7));
  }
  for (std::size_t axis = 0; axis < as.chunk.size(); ++axis) {
    // The library refuses chunks that are larger than a dataset that cannot
    // grow.
    as.chunk[axis] = std::min(as.chunk[axis], drawn.dims[axis]);
  }
  as.compact = kind == 1;
  as.fletcher32 = kind == 3 || kind == 5;
  as.deflate = kind >= 4;
  as.shuffle = kind == 5;
  drawn.in_place = !as.compact && !as.deflate && !type.swapped;
  // Bytes of a float that are no number may come out of the library changed.
  const hid_t memory = type.little;
  const std::size_t count = CountOf(drawn.dims);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = draws.Below(0xffff + 1);
    if (H5Tget_class(memory) != H5T_FLOAT) {
      drawn.elements += draws.Bytes(H5Tget_size(memory));
    } else if (H5Tget_size(memory) == 4) {
      AppendLe(static_cast<float>(value), drawn.elements);
    } else {
      AppendLe(static_cast<double>(value), drawn.elements);
    }
  }
  file.Put(drawn.name, type.in_file, memory, drawn.dims, drawn.elements, as);
  return drawn;
}

// The difference from the rows that were written; "" if none.
std::string Fault(Column& column, const Drawn& drawn, std::uint64_t row,
                  const RandomAccessFile& file) {
  const auto cell = column.Row(row);
  if (!cell.ok()) return cell.status().ToString();
  if (AsText(cell->bytes) != drawn.Row(row)) return "other bytes";
  if (cell->extents.empty() == drawn.in_place) return "extents";
  if (drawn.in_place && BytesAt(file, cell->extents) != drawn.Row(row)) {
    return "other bytes at the extents";
  }
  return "";
}

TEST_CASE("A column gives each row of an array, however it is stored",
          "[hdf5][column]") {
  Draws draws(7);
  LibraryFile file;
  std::vector<Drawn> all;
  for (int i = 0; i < 150; ++i) all.push_back(Draw(draws, file, i));
  OpenedSession opened(file.Bytes());
  for (const Drawn& drawn : all) {
    const auto column = Opened(opened.Source(drawn.name));
    std::vector<std::uint64_t> order(drawn.dims[0]);
    std::iota(order.begin(), order.end(), 0);
    // Forward, and then anywhere.
    for (int i = 0; i < 6; ++i) {
      order.push_back(
          draws.Below(static_cast<std::uint32_t>(drawn.dims[0]) - 1 + 1));
    }
    for (const std::uint64_t row : order) {
      INFO("dataset " << drawn.name << ", row " << row);
      REQUIRE(Fault(*column, drawn, row, opened.file()) == "");
    }
  }
}

TEST_CASE("A column of one row has the whole dataset", "[hdf5][column]") {
  LibraryFile file;
  const std::string numbers = Draws(8).Bytes(24);
  file.Put("contiguous", H5T_STD_U16LE, {3, 4}, numbers);
  file.Put("chunked", H5T_STD_U16LE, {3, 4}, numbers, {.chunk = {2, 3}});
  file.Put("swapped", H5T_STD_U16BE, H5T_STD_U16LE, {3, 4}, numbers);
  file.Put("scalar", H5T_STD_U64LE, {}, numbers.substr(0, 8));
  OpenedSession opened(file.Bytes());
  for (const std::string name :
       {"contiguous", "chunked", "swapped", "scalar"}) {
    INFO(name);
    ColumnSource source = opened.Source(name);
    source.whole = true;
    const auto cell = Opened(source)->Row(0);
    REQUIRE(cell.status().ToString() == "OK");
    CHECK(cell->bytes.size() == (name == "scalar" ? 8 : 24));
  }
  ColumnSource source = opened.Source("contiguous");
  source.whole = true;
  const auto column = Opened(source);
  const auto cell = column->Row(0);
  REQUIRE(cell.ok());
  CHECK(AsText(cell->bytes) == numbers);
  CHECK(BytesAt(opened.file(), cell->extents) == numbers);
}

TEST_CASE("A column gives each row of variable length, and where it lies",
          "[hdf5][column]") {
  Draws draws(9);
  std::vector<std::string> rows;
  for (int i = 0; i < 600; ++i) {
    rows.push_back(draws.Bytes(8 * draws.Below(i % 7 == 0 ? 0 : 40 + 1)));
  }
  // Longer than a collection of the heap is otherwise.
  rows[300] = draws.Bytes(80'000);
  LibraryFile file;
  file.PutRows("little", H5T_STD_U64LE, rows);
  file.PutRows("big", H5T_STD_U64BE, H5T_STD_U64LE, rows);
  file.PutRows("bytes", H5T_STD_U8LE, rows, {.chunk = {100}});
  file.PutRows("packed", H5T_STD_U8LE, rows, {.chunk = {64}, .deflate = true});
  OpenedSession opened(file.Bytes());
  for (const std::string name : {"little", "big", "bytes", "packed"}) {
    const auto column = Opened(opened.Source(name));
    for (std::uint64_t i = 0; i < 2 * rows.size(); ++i) {
      const std::uint64_t row = i < rows.size() ? i : i * 577 % rows.size();
      const auto cell = column->Row(row);
      INFO(name << ", row " << row);
      REQUIRE(cell.status().ToString() == "OK");
      REQUIRE((AsText(cell->bytes) == rows[row]));
      // Byte-swapped rows are nowhere in the file; an empty row may lie
      // anywhere.
      REQUIRE(cell->extents.size() ==
              (name == "big" && !rows[row].empty() ? 0 : 1));
      if (!cell->extents.empty()) {
        REQUIRE((BytesAt(opened.file(), cell->extents) == rows[row]));
      }
    }
  }
}

TEST_CASE("Columns that share a window keep their rows until their next ones",
          "[hdf5][column]") {
  Draws draws(10);
  std::vector<std::string> rows[2];
  for (int i = 0; i < 300; ++i) {
    for (auto& some : rows) some.push_back(draws.Bytes(draws.Below(301)));
  }
  LibraryFile file;
  file.PutRows("a", H5T_STD_U8LE, rows[0]);
  file.PutRows("b", H5T_STD_U8LE, rows[1]);
  OpenedSession opened(file.Bytes());
  HeapWindow window(opened.file(), 64, 2);
  ColumnSource a = opened.Source("a");
  ColumnSource b = opened.Source("b");
  a.shared = &window;
  b.shared = &window;
  const auto column_a = Opened(a);
  const auto column_b = Opened(b);
  for (std::uint64_t row = 0; row < 300; ++row) {
    const auto first = column_a->Row(row);
    const auto second = column_b->Row(299 - row);
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    REQUIRE((AsText(first->bytes) == rows[0][row]));
    REQUIRE((AsText(second->bytes) == rows[1][299 - row]));
  }
}

TEST_CASE("Rows that were never written are the fill value, without extents",
          "[hdf5][column]") {
  const std::uint16_t fill = 0x0102;
  LibraryFile file;
  const Hdf5Id chunked = file.Create("chunked", H5T_STD_U16LE, {100, 3},
                                     {.chunk = {10, 2}, .fill = &fill});
  const Hdf5Id late =
      file.Create("late", H5T_STD_U16LE, {5, 3}, {.fill = &fill});
  const Hdf5Id zeros = file.Create("zeros", H5T_STD_U16LE, {5, 3});
  // Rows 20 to 29 of the first two columns alone: half of a band of chunks.
  const hsize_t start[] = {20, 0};
  const hsize_t count[] = {10, 2};
  const Hdf5Id space(H5Dget_space(chunked.get()), H5Sclose);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count,
                      nullptr);
  const Hdf5Id memory(H5Screate_simple(2, count, nullptr), H5Sclose);
  REQUIRE(H5Dwrite(chunked.get(), H5T_STD_U16LE, memory.get(), space.get(),
                   H5P_DEFAULT, std::string(40, '\7').data()) >= 0);
  OpenedSession opened(file.Bytes());
  for (const auto& [name, dataset] :
       {std::pair("chunked", &chunked), std::pair("late", &late),
        std::pair("zeros", &zeros)}) {
    const std::string all = ElementsOf(*dataset, H5T_STD_U16LE);
    const auto column = Opened(opened.Source(name));
    for (std::uint64_t row = 0; row < DimsOf(*dataset)[0]; ++row) {
      const auto cell = column->Row(row);
      INFO(name << ", row " << row);
      REQUIRE(cell.status().ToString() == "OK");
      CHECK(AsText(cell->bytes) == all.substr(6 * row, 6));
      CHECK(cell->extents.empty());
    }
  }
}

TEST_CASE("Rows without elements are empty, and lie somewhere",
          "[hdf5][column]") {
  LibraryFile file;
  file.Create("none", H5T_STD_U16LE, {4, 0, 3});
  OpenedSession opened(file.Bytes());
  const auto column = Opened(opened.Source("none"));
  for (std::uint64_t row = 0; row < 4; ++row) {
    const auto cell = column->Row(row);
    REQUIRE(cell.ok());
    CHECK(cell->bytes.empty());
    CHECK(cell->extents.size() == 1);
  }
}

TEST_CASE("A dataset that claims more than its file has is no column",
          "[hdf5][column][hostile]") {
  LibraryFile file;
  file.Create("rows", H5T_STD_U8LE, {hsize_t{1} << 40, 3}, {.chunk = {1, 3}});
  file.Create("row", H5T_STD_U8LE, {2, hsize_t{1} << 40}, {.chunk = {1, 1024}});
  const Hdf5Id vlen(H5Tvlen_create(H5T_STD_U8LE), H5Tclose);
  file.Create("vlen", vlen.get(), {hsize_t{1} << 40}, {.chunk = {1024}});
  // Small enough to be free of the limit.
  file.Create("fine", H5T_STD_U8LE, {1 << 20, 64}, {.chunk = {64, 64}});
  OpenedSession opened(file.Bytes());
  const auto refused = [&](const std::string& name, Code code) {
    const auto column = OpenColumn(opened.Source(name));
    INFO(name << ": " << column.status().ToString());
    CHECK(column.status().code() == code);
    CHECK(column.status().where().path == "x.h5");
    CHECK_THAT(column.status().message(), Catch::Contains("\"" + name + "\""));
  };
  refused("rows", Code::kUnsupported);
  refused("vlen", Code::kUnsupported);
  refused("row", Code::kCorrupt);
  CHECK(Opened(opened.Source("fine"))->Row((1 << 20) - 1).ok());
}

// A file that counts the bytes that are read of it.
class CountedFile : public RandomAccessFile {
 public:
  explicit CountedFile(const RandomAccessFile& file) : file_(file) {}
  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    read_ += out.size();
    return file_.ReadAt(offset, out);
  }
  std::uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }
  std::uint64_t read() const { return read_; }

 private:
  const RandomAccessFile& file_;
  mutable std::uint64_t read_ = 0;
};

// Parsers review 14: each row read 256 KiB.
struct AnyOrder {
  static constexpr std::size_t kRows = 200;
  static constexpr std::size_t kRow = 100'000;
  static constexpr std::uint64_t kAll = kRows * kRow;

  explicit AnyOrder(const LibraryFile& file)
      : opened(file.Bytes()), counted(opened.file()) {}

  ColumnSource Source(const std::string& name) {
    const ColumnSource asked = opened.Source(name);
    ColumnSource source{counted, asked.session, asked.dataset};
    source.heap = asked.heap;
    source.read_ahead = std::size_t{1} << 18;
    return source;
  }
  // The bytes of the file that all rows read, each `step` after the one before.
  std::uint64_t Read(std::span<const std::unique_ptr<Column>> columns,
                     std::size_t step) {
    const std::uint64_t before = counted.read();
    for (std::size_t i = 0; i < kRows; ++i) {
      for (const auto& column : columns) {
        REQUIRE(column->Row(i * step % kRows).ok());
      }
    }
    return counted.read() - before;
  }
  // 77 rows further each time lie beyond the bytes nearby.
  void Check(std::span<const std::unique_ptr<Column>> columns) {
    CHECK(Read(columns, 1) <= kAll + kAll / 10);
    CHECK(Read(columns, 77) <= kAll + kRows * 3 * 4096 + (1 << 19));
  }

  OpenedSession opened;
  CountedFile counted;
};

TEST_CASE("Rows of variable length in any order are not read many times",
          "[hdf5][column]") {
  LibraryFile file;
  file.PutRows("rows", H5T_STD_U8LE,
               std::vector<std::string>(AnyOrder::kRows,
                                        std::string(AnyOrder::kRow, 'r')));
  AnyOrder order(file);
  const std::unique_ptr<Column> columns[] = {Opened(order.Source("rows"))};
  order.Check(columns);
}

// The rows [from, from + 1) of a dataset.
void WriteRow(const Hdf5Id& dataset, hid_t type, const Dims& row, hsize_t from,
              const void* bytes) {
  Dims start(row.size(), 0);
  start[0] = from;
  const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
  REQUIRE(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(),
                              nullptr, row.data(), nullptr) >= 0);
  const Hdf5Id memory(
      H5Screate_simple(static_cast<int>(row.size()), row.data(), nullptr),
      H5Sclose);
  REQUIRE(H5Dwrite(dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT,
                   bytes) >= 0);
}

TEST_CASE("Fields of variable length in any order are not read many times",
          "[hdf5][column]") {
  LibraryFile file;
  const Hdf5Id type(H5Tvlen_create(H5T_STD_U8LE), H5Tclose);
  std::string half(AnyOrder::kRow / 2, 'h');
  const hvl_t view{half.size(), half.data()};
  const Hdf5Id a = file.Create("a", type.get(), {AnyOrder::kRows});
  const Hdf5Id b = file.Create("b", type.get(), {AnyOrder::kRows});
  for (std::size_t row = 0; row < AnyOrder::kRows; ++row) {
    WriteRow(a, type.get(), {1}, row, &view);
    WriteRow(b, type.get(), {1}, row, &view);
  }
  AnyOrder order(file);
  HeapWindow window(order.counted, std::size_t{1} << 18, 2);
  ColumnSource sources[] = {order.Source("a"), order.Source("b")};
  for (ColumnSource& source : sources) source.shared = &window;
  const std::unique_ptr<Column> columns[] = {Opened(sources[0]),
                                             Opened(sources[1])};
  order.Check(columns);
}

TEST_CASE("Chunks in any order are not read many times", "[hdf5][column]") {
  LibraryFile file;
  const Dims row = {1, AnyOrder::kRow};
  const std::string bytes(AnyOrder::kRow, 'c');
  const Hdf5Id chunks =
      file.Create("chunks", H5T_STD_U8LE, {AnyOrder::kRows, AnyOrder::kRow},
                  {.chunk = row});
  for (std::size_t i = 0; i < AnyOrder::kRows; ++i) {
    WriteRow(chunks, H5T_STD_U8LE, row, i, bytes.data());
  }
  AnyOrder order(file);
  const std::unique_ptr<Column> columns[] = {Opened(order.Source("chunks"))};
  order.Check(columns);
}

}  // namespace
}  // namespace shardine::column_test
