// Files of FuelWriter, as the library itself reads them.
#include <cerrno>
#include <limits>

#include "io/local_storage.h"
#include "support/draws.h"
#include "support/temp_directory.h"
#include "unit/hdf5/file_size_limit.h"
#include "unit/hdf5/library_file.h"
#include "unit/hdf5/own_samples.h"

namespace shardine::fuel_file_test {
namespace {

const LayoutChoice kFuel = DefaultsOf(kHdf5Format.layouts[0]);

std::vector<OwnSample> DrawSamples(std::uint32_t seed, std::size_t count) {
  Draws draws(seed);
  std::vector<OwnSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(Encoded(draws.Bytes(draws.Below(61))));
    samples.back().key = "n" + std::to_string(i) + "/" + std::to_string(seed);
    samples.back().labels = {
        Label(static_cast<std::int64_t>(draws.Below(1000)))};
  }
  return samples;
}

TEST_CASE("A Fuel file is images, targets and keys at the borders of chunks",
          "[hdf5][fuel]") {
  for (const std::size_t count : {0U, 1U, 255U, 256U, 257U, 511U, 512U, 513U}) {
    INFO(count << " samples");
    const auto samples = DrawSamples(30, count);
    const LibraryFile read(FileOf(kFuel, samples));
    const Hdf5Id images = read.Open("encoded_images");
    const Hdf5Id targets = read.Open("targets");
    const Hdf5Id keys = read.Open("filenames");
    CHECK(DimsOf(images) == Dims{count});
    CHECK(DimsOf(targets) == Dims{count, 1});
    CHECK(HasType(targets, H5T_STD_I64LE));
    CHECK(DimsOf(keys) == Dims{count});
    for (const Hdf5Id* dataset : {&images, &targets, &keys}) {
      CHECK(ChunkOf(*dataset)[0] == 256);
    }
    H5G_info_t root = {};
    REQUIRE(H5Gget_info(read.id(), &root) >= 0);
    CHECK(root.nlinks == 3);
    if (count == 0) continue;
    const auto bytes = RowsOf(images, H5T_STD_U8LE);
    const auto texts = TextsOf(keys);
    const auto numbers =
        ValuesOf<std::int64_t>(ElementsOf(targets, H5T_NATIVE_INT64));
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE((bytes[i] == samples[i].fields[0].bytes));
      REQUIRE(texts[i] == samples[i].key);
      REQUIRE(numbers[i] == samples[i].labels[0].integer());
    }
  }
}

TEST_CASE("A Fuel file without samples is scanned as one", "[hdf5][fuel]") {
  MemoryStorage storage;
  REQUIRE(WriteAll(storage, kFuel, {}).ok());
  Status status;
  CHECK(ScanRows(storage, "x.h5", status).empty());
  CHECK(status.ToString() == "OK");
}

TEST_CASE("A Fuel file's targets are whole numbers, the least of them for none",
          "[hdf5][fuel]") {
  std::vector<OwnSample> samples(4, Encoded("x"));
  samples[1].labels = {Label::FromReal(2.75)};
  samples[2].labels = {Label::FromReal(1e300)};
  samples[3].labels = {Label(-7)};
  const LibraryFile read(FileOf(kFuel, samples));
  CHECK(ValuesOf<std::int64_t>(
            ElementsOf(read.Open("targets"), H5T_NATIVE_INT64)) ==
        std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 3,
                                  std::numeric_limits<std::int64_t>::max(),
                                  -7});
}

TEST_CASE("A Fuel file has a key with a NUL whole beside the others",
          "[hdf5][fuel]") {
  for (const std::size_t at : {0U, 255U, 256U, 300U}) {
    auto samples = DrawSamples(31, 301);
    std::vector<std::string> whole(301);
    whole[at] = samples[at].key = std::string("a\0b", 3);
    const LibraryFile read(FileOf(kFuel, samples));
    const auto texts = TextsOf(read.Open("filenames"));
    CHECK(texts[at] == "a");
    CHECK(texts[299] == samples[299].key);
    CHECK((RowsOf(read.Open("filenames.bytes"), H5T_STD_U8LE) == whole));
  }
}

TEST_CASE("A Fuel file has fields of any name under one that HDF5 holds",
          "[hdf5][fuel]") {
  const std::string percents(1000, '%');
  const std::vector<std::string> names = {"%2F",
                                          "..",
                                          "a.",
                                          "a/b",
                                          "image.x",
                                          "images",
                                          "imgs",
                                          "data",
                                          "label",
                                          percents,
                                          std::string(1000, '/'),
                                          "\xff\x01 ",
                                          "caf\xc3\xa9",
                                          "...",
                                          "x.shapes",
                                          "/.",
                                          "./"};
  MemoryStorage storage;
  std::vector<OwnSample> samples;
  for (const std::string& name : names) {
    samples.push_back(Encoded("i"));
    samples.back().fields.push_back({name, "|S", {}, "of " + name, true});
  }
  REQUIRE(WriteAll(storage, kFuel, samples).ToString() == "OK");
  Status status;
  const auto rows = ScanRows(storage, "x.h5", status);
  REQUIRE(status.ToString() == "OK");
  REQUIRE(rows.size() == names.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO(names[i]);
    REQUIRE(rows[i].fields.size() == 2);
    const bool last = names[i] > "image";
    CHECK(rows[i].fields[last ? 1 : 0].name == names[i]);
    CHECK(rows[i].fields[last ? 1 : 0].bytes == "of " + names[i]);
    CHECK(rows[i].fields[last ? 0 : 1].name == "image");
  }
  const LibraryFile read(*storage.Get("x.h5"));
  CHECK(read.Has("a%2Fb"));
  CHECK(read.Has("%252F"));
}

TEST_CASE("What a Fuel file refuses leaves no trace in it", "[hdf5][fuel]") {
  auto fine = DrawSamples(32, 4);
  for (OwnSample& sample : fine) {
    sample.fields.push_back({"points", "<f4", {1, 2}, "12345678", true});
  }
  std::vector<OwnSample> refused;
  const auto with = [&](ScannedRow::Field field) {
    refused.push_back(Encoded("bad"));
    refused.back().fields.push_back(std::move(field));
  };
  for (const char* name : {"", ".", "targets", "filenames", "encoded_images",
                           "a.shape", "a.present", "a.bytes", ".shape"}) {
    with({name, "|S", {}, "x", true});
  }
  with({std::string("a\0b", 3), "|S", {}, "x", true});
  with({std::string(1001, 'n'), "|S", {}, "x", true});
  with({"late", "|S", {1}, "x", true});
  with({"late", "<f4", std::vector<std::uint64_t>(65, 1), "1234", true});
  for (const char* dtype :
       {"|S1", "<U1", "<c8", "<M8[s]", "<f16", ">f4", "u1", "|u2", ""}) {
    with({"late", dtype, {}, "12345678", true});
  }
  refused.push_back(Encoded("two labels"));
  refused.back().labels = {Label(1), Label(2)};
  refused.push_back(Encoded("no label"));
  refused.back().labels = {Label(std::numeric_limits<std::int64_t>::min())};
  refused.push_back(Pixels("|u1", {1, 1, 2}, "xx"));
  CheckRefused(kFuel, fine, refused);
}

TEST_CASE("A Fuel file's field keeps the type of its first sample",
          "[hdf5][fuel]") {
  const char* const dtypes[] = {"|S",  "|b1", "|i1", "|u1", "<i2", "<u2", "<i4",
                                "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"};
  // Arrays without elements, whose shape is right for any type of numbers.
  const auto empty = [](std::string_view name, std::string_view dtype) {
    OwnSample sample;
    sample.fields.push_back(
        {"f" + std::string(name), std::string(dtype), {}, "", true});
    if (dtype != "|S") sample.fields[0].shape = {0};
    return sample;
  };
  MemoryStorage storage;
  const auto writer = NewWriter(storage, kFuel);
  REQUIRE(writer.ok());
  for (const char* first : dtypes) {
    REQUIRE(AppendTo(**writer, empty(first, first)).ToString() == "OK");
    for (const char* later : dtypes) {
      const Status status = AppendTo(**writer, empty(first, later));
      INFO(first << " and then " << later << ": " << status.ToString());
      CHECK(status.ok() == (std::string_view(first) == later));
      if (status.ok()) continue;
      CHECK(status.code() == Code::kUnsupported);
      CHECK_THAT(status.message(), Catch::Contains("one type per field"));
    }
  }
}

TEST_CASE("A Fuel file holds 1000 different fields", "[hdf5][fuel]") {
  OwnSample most = Encoded("x");
  for (int i = 1; i < 1000; ++i) {
    most.fields.push_back({"n" + std::to_string(i), "|S", {}, "y", true});
  }
  OwnSample more = Encoded("x");
  more.fields.push_back({"one more", "|S", {}, "y", true});
  OwnSample far_more = more;
  far_more.fields.push_back({"two more", "|S", {}, "y", true});
  MemoryStorage storage;
  const auto writer = NewWriter(storage, kFuel);
  REQUIRE(writer.ok());
  REQUIRE(AppendTo(**writer, most).ToString() == "OK");
  for (const OwnSample& sample : {more, far_more}) {
    const Status status = AppendTo(**writer, sample);
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains("more than 1000"));
  }
  REQUIRE(AppendTo(**writer, most).ToString() == "OK");
  REQUIRE((*writer)->Finish().ok());
  Status status;
  const auto rows = ScanRows(storage, "x.h5", status);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].fields.size() == 1000);
}

TEST_CASE("A disk that is full at any byte fails the Fuel file with the cause",
          "[hdf5][fuel][fault]") {
  const LossesOfLibrary aside;
  const TempDirectory folder;
  const std::string path = folder / "x.h5";
  auto samples = DrawSamples(33, 300);
  samples[280].fields.push_back({"late", "<f4", {1}, "1234", true});
  REQUIRE(WriteAll(LocalStorage(), kFuel, samples, path).ok());
  const auto whole = LocalStorage().Stat(path);
  REQUIRE(whole.ok());
  for (std::uint64_t bytes = 0; bytes < whole->size; bytes += 1999) {
    Status status;
    {
      const FileSizeLimit limit(bytes);
      status = WriteAll(LocalStorage(), kFuel, samples, path);
    }
    INFO("full at " << bytes << ": " << status.ToString());
    CHECK(status.code() == Code::kIo);
    CHECK(status.system_error() == EFBIG);
    CHECK(status.where().path == path);
  }
}

TEST_CASE("A Fuel file that is given up at any sample is in no storage",
          "[hdf5][fuel]") {
  const auto samples = DrawSamples(34, 300);
  for (const std::size_t count : {0U, 1U, 256U, 300U}) {
    MemoryStorage storage;
    {
      const auto writer = NewWriter(storage, kFuel);
      REQUIRE(writer.ok());
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(AppendTo(**writer, samples[i]).ok());
      }
    }
    CHECK_FALSE(storage.Get("x.h5").ok());
  }
}

}  // namespace
}  // namespace shardine::fuel_file_test
