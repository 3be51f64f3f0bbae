#include "hdf5/array_writer.h"

#include "hdf5/caffe_source_list.h"
#include "io/atomic_file.h"
#include "unit/hdf5/own_samples.h"

namespace shardine::array_writer_test {
namespace {

constexpr std::uint64_t kShape[] = {3, 2, 2};

Status Put(ShardWriter& writer, std::string_view dtype,
           std::span<const std::uint64_t> shape, const std::string& bytes) {
  const FieldView image{.name = kImageField,
                        .dtype = dtype,
                        .shape = shape,
                        .bytes = AsBytes(bytes)};
  const Label label(3);
  return writer.Append(
      {.key = "k", .labels = {&label, 1}, .fields = {&image, 1}});
}

TEST_CASE("The array writers refuse by key what has another shape or type",
          "[hdf5][array]") {
  const std::uint64_t other[] = {3, 2, 3};
  const std::uint64_t flat[] = {12};
  const std::uint64_t none[] = {3, 0, 2};
  const std::string bytes(48, 'x');
  for (const std::string_view name : {"array", "caffe"}) {
    MemoryStorage storage;
    const auto writer = kHdf5Format.create_writer(
        storage, {.shard = "x.h5", .companion = "x.txt"}, {ChoiceNamed(name)});
    REQUIRE(writer.ok());
    const auto refuses = [&](std::string_view dtype,
                             std::span<const std::uint64_t> shape,
                             std::size_t size) {
      const Status status = Put(**writer, dtype, shape, bytes.substr(0, size));
      INFO(status.ToString());
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.where().key == "k");
    };
    refuses("|u1", none, 0);
    refuses("|u1", flat, 12);
    refuses("|S", {}, 12);
    REQUIRE(Put(**writer, "|u1", kShape, bytes.substr(0, 12)).ok());
    refuses("|u1", other, 18);
    refuses("<f4", kShape, 48);
    refuses("<f8", kShape, 48);
    REQUIRE(Put(**writer, "|u1", kShape, bytes.substr(12, 12)).ok());
    REQUIRE((*writer)->Finish().ok());
    Status status;
    const auto rows = ScanRows(storage, "x.h5", status);
    CHECK(status.ok());
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].labels == std::vector<Label>{Label(3)});
    CHECK(rows[1].fields[0].in_place);
  }
}

// The library reads as much memory as the shape says.
TEST_CASE("The HDF5 writers refuse arrays whose shape is not their bytes",
          "[hdf5][array][hostile]") {
  const std::string_view name = GENERATE("array", "caffe", "fuel");
  const std::uint64_t huge[] = {3, 1024, 8};
  MemoryStorage storage;
  const auto writer = kHdf5Format.create_writer(
      storage, {.shard = "x.h5", .companion = "x.txt"}, {ChoiceNamed(name)});
  REQUIRE(writer.ok());
  const auto refuses = [&](std::string_view dtype,
                           std::span<const std::uint64_t> shape,
                           std::size_t size) {
    const std::string bytes(size, 'x');
    const FieldView field{.name = name == "fuel" ? "mask" : kImageField,
                          .dtype = dtype,
                          .shape = shape,
                          .bytes = AsBytes(bytes)};
    const Status status =
        (*writer)->Append({.key = "k", .labels = {}, .fields = {&field, 1}});
    INFO(status.ToString());
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().key == "k");
  };
  refuses("|u1", huge, 12);
  refuses("|u1", kShape, 11);
  refuses("|u1", kShape, 13);
  if (name != "array") refuses("<f4", kShape, 12);
}

TEST_CASE("The array writer makes chunks of the size it is told",
          "[hdf5][array]") {
  for (const char* chunk : {"1", "7", "500"}) {
    MemoryStorage storage;
    const auto writer =
        kHdf5Format.create_writer(storage, {.shard = "x.h5", .companion = {}},
                                  {ChoiceNamed("array", chunk)});
    REQUIRE(writer.ok());
    for (char i = 0; i < 20; ++i) {
      REQUIRE(Put(**writer, "|u1", kShape, std::string(12, i)).ok());
    }
    REQUIRE((*writer)->Finish().ok());
    const auto file = storage.Open("x.h5");
    const auto choice = kHdf5Format.detect_layout(**file);
    REQUIRE(choice.ok());
    CHECK(choice->layout->name == "array");
    CHECK(choice->value("chunk") == chunk);
    Status status;
    const auto rows = ScanRows(**file, status);
    REQUIRE(rows.size() == 20);
    CHECK(rows[19].fields[0].bytes == std::string(12, 19));
  }
}

TEST_CASE("A chunk is a number from 1 to a million", "[hdf5][array]") {
  const auto is_valid = ChoiceNamed("array").layout->parameters[0].is_valid;
  for (const char* good : {"1", "500", "1000000"}) CHECK(is_valid(good));
  for (const char* bad : {"", "0", "-1", "01", "1000001", "5x", "x", " 5",
                          "99999999999999999999"}) {
    INFO(bad);
    CHECK_FALSE(is_valid(bad));
  }
}

TEST_CASE("The Caffe writer holds floats and names the shard in its list",
          "[hdf5][caffe]") {
  MemoryStorage storage;
  const ShardPaths paths = {TemporaryName("x.h5"), TemporaryName("x.txt")};
  const auto writer =
      kHdf5Format.create_writer(storage, paths, {ChoiceNamed("caffe")});
  REQUIRE(writer.ok());
  REQUIRE(Put(**writer, "<f4", kShape, std::string(48, 'f')).ok());
  REQUIRE((*writer)->Finish().ok());
  CHECK(*storage.Get(paths.companion) == "x.h5\n");
  CHECK(CheckSourceList(storage, paths).ok());
  for (const char* text : {"", "x.h5", "y.h5\n", "x.h5\nx.h5\n"}) {
    storage.Put(paths.companion, text);
    const Status status = CheckSourceList(storage, paths);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == paths.companion);
  }
  Status status;
  const auto rows = ScanRows(storage, paths.shard, status);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].fields[0].dtype == "<f4");
}

}  // namespace
}  // namespace shardine::array_writer_test
