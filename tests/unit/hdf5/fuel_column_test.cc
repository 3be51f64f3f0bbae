#include "hdf5/fuel_column.h"

#include <functional>
#include <optional>

#include "io/memory_storage.h"
#include "support/draws.h"
#include "unit/hdf5/library_file.h"

namespace shardine::fuel_column_test {
namespace {

// A field of each sample, or none.
struct Value {
  std::vector<std::uint64_t> shape;
  std::string bytes;
};
using Values = std::vector<std::optional<Value>>;

std::string Made(const std::function<void(Hdf5Output&)>& write) {
  MemoryStorage storage;
  const auto output = Hdf5Output::Create(storage, "x.h5");
  REQUIRE(output.ok());
  {
    const Hdf5Lock lock;
    write(**output);
  }
  REQUIRE((*output)->Finish().ok());
  return *storage.Get("x.h5");
}

// Writes rows from `first` on through a column that is made there, flushed
// before each of `flushes` and at the end.
std::string Write(const Values& values, std::optional<Dtype> dtype,
                  std::size_t first, const std::vector<std::size_t>& flushes) {
  return Made([&](Hdf5Output& output) {
    std::size_t flushed = 0;
    for (const std::size_t at : flushes) {
      if (at <= first) flushed = at;
    }
    auto column = FuelColumn::Create(output, "f", dtype, first, flushed);
    REQUIRE(column.status().ToString() == "OK");
    CHECK(column->name() == "f");
    CHECK(column->dtype() == dtype);
    const std::string name = dtype ? dtype->Name() : "|S";
    for (std::size_t row = first; row < values.size(); ++row) {
      for (const std::size_t at : flushes) {
        if (at == row && at > first) REQUIRE(column->Flush(at).ok());
      }
      if (!values[row]) continue;
      REQUIRE(column
                  ->Append(row, {"f", name, values[row]->shape,
                                 AsBytes(values[row]->bytes)})
                  .ok());
    }
    REQUIRE(column->Flush(values.size()).ok());
  });
}

void CheckFile(const std::string& bytes, const Values& values, bool shaped) {
  const LibraryFile read(bytes);
  const auto payloads =
      RowsOf(read.Open("f"), shaped ? H5T_STD_U16LE : H5T_STD_U8LE);
  REQUIRE(payloads.size() == values.size());
  std::vector<std::string> shapes;
  if (shaped) shapes = RowsOf(read.Open("f.shape"), H5T_STD_U64LE);
  REQUIRE(shapes.size() == (shaped ? values.size() : 0));
  std::string flags;
  bool all = true;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const Value value = values[row].value_or(Value());
    if (payloads[row] != value.bytes) FAIL("row " << row);
    if (shaped && shapes[row] != Packed(value.shape)) FAIL("shape " << row);
    flags += values[row] ? '\1' : '\0';
    all = all && values[row];
  }
  REQUIRE(read.Has("f.shape") == shaped);
  REQUIRE(read.Has("f.present") == !all);
  if (all) return;
  const Hdf5Id present = read.Open("f.present");
  CHECK(HasType(present, H5T_STD_U8LE));
  CHECK((ElementsOf(present, H5T_STD_U8LE) == flags));
}

TEST_CASE("A column of a field keeps what each sample has of it, and which do",
          "[hdf5][fuel]") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Draws draws(100 + seed);
    const bool shaped = seed % 2 == 0;
    // So many of ten samples lack the field; `lack` may be 0.
    const std::uint32_t lack = seed % 5 * 3;
    const std::size_t rows = 1 + draws.Below(401);
    const std::size_t first =
        draws.Below(3) == 0
            ? draws.Below(static_cast<std::uint32_t>(rows) - 1 + 1)
            : 0;
    Values values(rows);
    for (std::size_t row = first; row < rows; ++row) {
      if (row > first && draws.Below(10) < lack) continue;
      Value value;
      std::size_t elements = draws.Below(7);
      if (shaped) {
        value.shape = {elements, 1 + draws.Below(3)};
        elements *= 2 * value.shape[1];
      }
      value.bytes = draws.Bytes(elements);
      values[row] = std::move(value);
    }
    std::vector<std::size_t> flushes;
    for (std::size_t at = draws.Below(101); at < rows;
         at += 1 + draws.Below(151)) {
      flushes.push_back(at);
    }
    INFO("seed " << seed << ": " << rows << " rows from " << first);
    const auto dtype = shaped ? std::optional<Dtype>({'u', 2}) : std::nullopt;
    CheckFile(Write(values, dtype, first, flushes), values, shaped);
  }
}

TEST_CASE("A field that comes late is absent from all samples before",
          "[hdf5][fuel]") {
  // More than the flags that are written at a time.
  for (const std::size_t first : {65'535U, 65'536U, 65'537U, 140'000U}) {
    Values values(first + 3);
    values[first] = Value{{}, "late"};
    values[first + 2] = Value{{}, "last"};
    const std::size_t flushed = first / 256 * 256;
    INFO("first in " << first);
    CheckFile(Write(values, std::nullopt, first, {flushed}), values, false);
  }
}

TEST_CASE("A column has the type of its field in the file", "[hdf5][fuel]") {
  for (const char* name : {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4",
                           "<i8", "<u8", "<f2", "<f4", "<f8"}) {
    const Dtype dtype = *ParseDtype(name);
    const std::string zeros(dtype.size, '\0');
    const LibraryFile read(Made([&](Hdf5Output& output) {
      auto column = FuelColumn::Create(output, "f", dtype, 0, 0);
      REQUIRE(column.ok());
      REQUIRE(column->Append(0, {"f", name, {}, AsBytes(zeros)}).ok());
      REQUIRE(column->Flush(1).ok());
    }));
    const Hdf5Id dataset = read.Open("f");
    const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
    const Hdf5Id element(H5Tget_super(type.get()), H5Tclose);
    INFO(name);
    CHECK(H5Tequal(element.get(), MakeHdf5Type(dtype).get()) > 0);
    CHECK(RowsOf(dataset, element.get()) == std::vector<std::string>{zeros});
    // An array without axes has an empty shape.
    CHECK(RowsOf(read.Open("f.shape"), H5T_STD_U64LE) ==
          std::vector<std::string>{""});
  }
}

TEST_CASE("A column whose companion's name is taken is an error",
          "[hdf5][fuel]") {
  for (const char* taken : {"f", "f.shape"}) {
    Made([&](Hdf5Output& output) {
      const auto other = FuelColumn::Create(output, taken, std::nullopt, 0, 0);
      REQUIRE(other.ok());
      const auto column = FuelColumn::Create(output, "f", Dtype{'u', 2}, 0, 0);
      CHECK(column.status().code() == Code::kFailed);
      CHECK_THAT(column.status().message(), Catch::Contains(taken));
    });
  }
}

}  // namespace
}  // namespace shardine::fuel_column_test
