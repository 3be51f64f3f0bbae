#include "hdf5/growing_dataset.h"

#include <functional>

#include "io/memory_storage.h"
#include "support/draws.h"
#include "unit/hdf5/library_file.h"

namespace shardine::growing_dataset_test {
namespace {

// The file that `write` makes.
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

GrowingDataset New(Hdf5Output& output, const GrowingDataset::Shape& shape,
                   const void* fill = nullptr) {
  const Hdf5Id type(H5Tcopy(H5T_STD_U16LE), H5Tclose);
  auto dataset = GrowingDataset::Create(output, "d", type, shape, fill);
  REQUIRE(dataset.status().ToString() == "OK");
  return *std::move(dataset);
}

TEST_CASE("A growing dataset is its rows one after the other, however appended",
          "[hdf5][growing]") {
  for (const bool unbuffered : {false, true}) {
    for (const std::uint64_t chunk_rows : {1U, 3U, 256U}) {
      Draws draws(20);
      std::string all;
      const std::string bytes = Made([&](Hdf5Output& output) {
        GrowingDataset dataset = New(output, {{3, 2}, chunk_rows, unbuffered});
        for (int i = 0; i < 60; ++i) {
          const std::uint64_t rows = draws.Below(10);
          const std::string piece = draws.Bytes(12 * rows);
          REQUIRE(dataset.Append(H5T_STD_U16LE, rows, piece.data()).ok());
          all += piece;
          REQUIRE(dataset.rows() == all.size() / 12);
        }
      });
      const LibraryFile read(bytes);
      const Hdf5Id dataset = read.Open("d");
      INFO("chunks of " << chunk_rows);
      CHECK(DimsOf(dataset) == Dims{all.size() / 12, 3, 2});
      CHECK(ChunkOf(dataset) == Dims{chunk_rows, 3, 2});
      CHECK((ElementsOf(dataset, H5T_STD_U16LE) == all));
    }
  }
}

TEST_CASE("A growing dataset can be extended by other programs too",
          "[hdf5][growing]") {
  const LibraryFile read(Made([](Hdf5Output& output) { New(output, {{4}}); }));
  const Hdf5Id dataset = read.Open("d");
  const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
  hsize_t most[2] = {};
  REQUIRE(H5Sget_simple_extent_dims(space.get(), nullptr, most) == 2);
  CHECK(most[0] == H5S_UNLIMITED);
  CHECK(most[1] == 4);
  CHECK(DimsOf(dataset) == Dims{0, 4});
  H5O_info_t info = {};
  REQUIRE(H5Oget_info2(dataset.get(), &info, H5O_INFO_TIME) >= 0);
  CHECK(info.mtime == 0);
}

TEST_CASE("Rows that a growing dataset is only extended by are the fill value",
          "[hdf5][growing]") {
  const std::uint16_t fill = 0x0403;
  for (const void* value :
       {static_cast<const void*>(&fill), static_cast<const void*>(nullptr)}) {
    const LibraryFile read(Made([&](Hdf5Output& output) {
      GrowingDataset dataset = New(output, {{}, 4}, value);
      REQUIRE(dataset.ExtendTo(3).ok());
      REQUIRE(dataset.Append(H5T_STD_U16LE, 2, "aabb").ok());
      REQUIRE(dataset.ExtendTo(9).ok());
      CHECK(dataset.rows() == 9);
    }));
    const std::string rest = value == nullptr ? std::string(2, '\0') : "\3\4";
    std::string all = rest + rest + rest + "aabb";
    for (int i = 5; i < 9; ++i) all += rest;
    CHECK(ElementsOf(read.Open("d"), H5T_STD_U16LE) == all);
  }
}

TEST_CASE("A growing dataset converts what it is given to the file's type",
          "[hdf5][growing]") {
  const LibraryFile read(Made([](Hdf5Output& output) {
    GrowingDataset dataset = New(output, {});
    // More than the buffer for conversion holds at a time.
    std::vector<std::int64_t> numbers(5000);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<std::int64_t>(i);
    }
    REQUIRE(
        dataset.Append(H5T_NATIVE_INT64, numbers.size(), numbers.data()).ok());
  }));
  const auto found =
      ValuesOf<std::uint16_t>(ElementsOf(read.Open("d"), H5T_NATIVE_UINT16));
  REQUIRE(found.size() == 5000);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] != i) FAIL("row " << i << " is " << found[i]);
  }
}

TEST_CASE("Rows without elements have a dataset all the same",
          "[hdf5][growing]") {
  const LibraryFile read(Made([](Hdf5Output& output) {
    GrowingDataset dataset = New(output, {{0, 3}, 2});
    REQUIRE(dataset.Append(H5T_STD_U16LE, 5, nullptr).ok());
  }));
  CHECK(DimsOf(read.Open("d")) == Dims{5, 0, 3});
}

TEST_CASE(
    "A dataset that the library refuses to make is an error with its name",
    "[hdf5][growing]") {
  Made([](Hdf5Output& output) {
    const Hdf5Id type(H5Tcopy(H5T_STD_U8LE), H5Tclose);
    const auto refused = [&](const std::string& name,
                             const GrowingDataset::Shape& shape) {
      const Status status =
          GrowingDataset::Create(output, name, type, shape).status();
      CHECK(status.code() == Code::kFailed);
      CHECK(status.where().path == "x.h5");
      CHECK_THAT(status.message(),
                 Catch::StartsWith("create " + name + ": libhdf5: "));
    };
    REQUIRE(GrowingDataset::Create(output, "taken", type, {}).ok());
    refused("taken", {});
    refused("no/group", {});
    refused("huge", {{std::uint64_t{1} << 20, 16}, 256});
    refused("none", {{}, 0});
    CHECK(VlenDataset::CreateStrings(output, "taken").status().code() ==
          Code::kFailed);
    CHECK(VlenDataset::Create(output, "taken", type, 1).status().code() ==
          Code::kFailed);
  });
}

TEST_CASE("Rows of variable length are whole at the borders of chunks",
          "[hdf5][growing]") {
  Draws draws(21);
  std::vector<std::string> rows;
  for (int i = 0; i < 600; ++i)
    rows.push_back(draws.Bytes(4 * draws.Below(10)));
  // A batch ends before a border, at it, behind it, and in the next chunk.
  const std::size_t cuts[] = {0, 1, 255, 256, 257, 257, 511, 513, 600};
  const LibraryFile read(Made([&](Hdf5Output& output) {
    const Hdf5Id element(H5Tcopy(H5T_STD_U32LE), H5Tclose);
    auto dataset = VlenDataset::Create(output, "d", element, 4);
    REQUIRE(dataset.ok());
    for (std::size_t i = 1; i < std::size(cuts); ++i) {
      std::vector<ByteView> views;
      for (std::size_t row = cuts[i - 1]; row < cuts[i]; ++row) {
        views.push_back(AsBytes(rows[row]));
      }
      REQUIRE(dataset->Append(views).ok());
      REQUIRE(dataset->rows() == cuts[i]);
    }
    REQUIRE(dataset->ExtendTo(610).ok());
  }));
  rows.resize(610);
  const Hdf5Id dataset = read.Open("d");
  CHECK(ChunkOf(dataset) == Dims{256});
  CHECK((RowsOf(dataset, H5T_STD_U32LE) == rows));
}

TEST_CASE("Strings are UTF-8 and end at their NUL", "[hdf5][growing]") {
  const LibraryFile read(Made([](Hdf5Output& output) {
    auto dataset = VlenDataset::CreateStrings(output, "d");
    REQUIRE(dataset.ok());
    const char* const rows[] = {"a/\xc3\xa9", "", "cut\0off"};
    REQUIRE(dataset->AppendStrings(rows).ok());
    REQUIRE(dataset->ExtendTo(4).ok());
  }));
  const Hdf5Id dataset = read.Open("d");
  CHECK(TextsOf(dataset) ==
        std::vector<std::string>{"a/\xc3\xa9", "", "cut", ""});
  const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
  CHECK(H5Tget_cset(type.get()) == H5T_CSET_UTF8);
}

}  // namespace
}  // namespace shardine::growing_dataset_test
