// Files of the writers of hdf5/array and hdf5/caffe, as the library itself
// reads them.
#include <cerrno>
#include <cmath>
#include <limits>

#include "io/local_storage.h"
#include "support/draws.h"
#include "support/fault_storage.h"
#include "support/temp_directory.h"
#include "unit/hdf5/file_size_limit.h"
#include "unit/hdf5/library_file.h"
#include "unit/hdf5/own_samples.h"

namespace shardine::array_file_test {
namespace {

const char* const kDtypes[] = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4",
                               "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"};

// A layout of 3 x 2 x 2, in chunks of few samples, so that files are small.
LayoutChoice Choice(std::string_view name) {
  return ChoiceNamed(name, name == "array" ? "4" : nullptr);
}

std::vector<OwnSample> DrawSamples(std::uint32_t seed, std::size_t count) {
  Draws draws(seed);
  std::vector<OwnSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(Pixels("|u1", {3, 2, 2}, draws.Bytes(12)));
    samples.back().labels = {Label(static_cast<std::int64_t>(i) - 3)};
  }
  return samples;
}

std::string Joined(const std::vector<OwnSample>& samples) {
  std::string bytes;
  for (const OwnSample& sample : samples) bytes += sample.fields[0].bytes;
  return bytes;
}

TEST_CASE("BigGAN's file is imgs and labels, at the borders of batches",
          "[hdf5][array]") {
  for (const std::size_t count : {0U, 1U, 4U, 5U, 511U, 512U, 513U, 1025U}) {
    INFO(count << " samples");
    auto samples = DrawSamples(40, count);
    if (count > 0) samples.back().labels.clear();
    const LibraryFile read(FileOf(Choice("array"), samples));
    const Hdf5Id images = read.Open("imgs");
    const Hdf5Id labels = read.Open("labels");
    CHECK(HasType(images, H5T_STD_U8LE));
    CHECK(HasType(labels, H5T_STD_I64LE));
    CHECK(DimsOf(labels) == Dims{count});
    CHECK(ChunkOf(images)[0] == 4);
    if (count == 0) {
      CHECK(DimsOf(images)[0] == 0);
      CHECK(DimsOf(images).size() == 4);
      continue;
    }
    CHECK(DimsOf(images) == Dims{count, 3, 2, 2});
    CHECK((ElementsOf(images, H5T_STD_U8LE) == Joined(samples)));
    const auto numbers =
        ValuesOf<std::int64_t>(ElementsOf(labels, H5T_NATIVE_INT64));
    for (std::size_t i = 0; i + 1 < count; ++i) {
      REQUIRE(numbers[i] == samples[i].labels[0].integer());
    }
    CHECK(numbers.back() == std::numeric_limits<std::int64_t>::min());
  }
}

TEST_CASE("Caffe's file is data and label, of bytes or of floats",
          "[hdf5][caffe]") {
  auto samples = DrawSamples(41, 600);
  samples[1].labels = {Label::FromReal(0.1)};
  samples[2].labels.clear();
  // By way of a double this integer would be rounded twice.
  samples[3].labels = {Label((std::int64_t{1} << 54) + (1 << 30) + 1)};
  for (const bool floats : {false, true}) {
    if (floats) {
      for (OwnSample& sample : samples) {
        std::vector<float> numbers;
        for (const char byte : sample.fields[0].bytes) {
          numbers.push_back(static_cast<float>(byte) / 8);
        }
        sample.fields[0].dtype = "<f4";
        sample.fields[0].bytes = Packed(numbers);
      }
    }
    const LibraryFile read(FileOf(Choice("caffe"), samples));
    const Hdf5Id images = read.Open("data");
    const hid_t type = floats ? H5T_IEEE_F32LE : H5T_STD_U8LE;
    CHECK(HasType(images, type));
    CHECK((ElementsOf(images, type) == Joined(samples)));
    const Hdf5Id dataset = read.Open("label");
    CHECK(HasType(dataset, H5T_IEEE_F32LE));
    const auto labels = ValuesOf<float>(ElementsOf(dataset, H5T_NATIVE_FLOAT));
    REQUIRE(labels.size() == 600);
    CHECK(labels[0] == -3.0F);
    CHECK(labels[1] == 0.1F);
    CHECK(std::isnan(labels[2]));
    CHECK(labels[3] == 0x1.000002p54F);
    CHECK(labels[599] == 596.0F);
  }
}

TEST_CASE("Caffe's chunks are the most images of at most 1 MiB, up to 1024",
          "[hdf5][caffe]") {
  const std::uint64_t most = std::uint64_t{1} << 20;
  const std::vector<std::uint64_t> shapes[] = {
      {1, 1, 1},       {3, 2, 2},      {1, 1, 1023},   {1, 1, 1024},
      {1, 1, 1025},    {3, 100, 100},  {1, 512, 1024}, {1, 1024, 1023},
      {1, 1024, 1024}, {1, 1025, 1024}};
  for (const auto& shape : shapes) {
    for (const char* dtype : {"|u1", "<f4"}) {
      const std::uint64_t bytes =
          shape[0] * shape[1] * shape[2] * (dtype[1] == 'f' ? 4 : 1);
      const auto samples = {Pixels(dtype, shape, std::string(bytes, '\0'))};
      const LibraryFile read(FileOf(Choice("caffe"), samples));
      const Dims chunk = ChunkOf(read.Open("data"));
      INFO(bytes << " bytes an image, " << chunk[0] << " a chunk");
      CHECK(std::vector<std::uint64_t>(chunk.begin() + 1, chunk.end()) ==
            shape);
      CHECK((chunk[0] == 1 || chunk[0] * bytes <= most));
      CHECK((chunk[0] == 1024 || (chunk[0] + 1) * bytes > most));
      CHECK(chunk[0] <= 1024);
    }
  }
}

TEST_CASE("What an array file refuses leaves no trace in it",
          "[hdf5][array][caffe]") {
  for (const std::string name : {"array", "caffe"}) {
    std::vector<OwnSample> refused = {Encoded("jpeg"), OwnSample()};
    for (const char* dtype : kDtypes) {
      if (std::string_view(dtype) == "|u1") continue;
      if (name == "caffe" && std::string_view(dtype) == "<f4") continue;
      const auto size = static_cast<std::size_t>(dtype[2] - '0');
      refused.push_back(Pixels(dtype, {3, 2, 2}, std::string(12 * size, 'x')));
    }
    for (const auto& shape : std::vector<std::vector<std::uint64_t>>{
             {}, {12}, {3, 4}, {3, 2, 2, 1}, {3, 0, 2}, {0, 0, 0}}) {
      std::uint64_t size = 1;
      for (const std::uint64_t side : shape) size *= side;
      refused.push_back(Pixels("|u1", shape, std::string(size, 'x')));
    }
    // An axis too long, and a chunk of 4 GiB and more.
    const std::uint64_t axis = (std::uint64_t{1} << 20) + 1;
    refused.push_back(Pixels("|u1", {1, axis, 1}, std::string(axis, 'x')));
    OwnSample wrong = Pixels("|u1", {3, 2, 2}, std::string(12, 'x'));
    refused.insert(refused.end(), 2, wrong);
    refused.back().fields.push_back({"points", "|S", {}, "x", true});
    refused[refused.size() - 2].labels = {Label(1), Label(2)};
    refused.push_back(wrong);
    refused.back().fields[0].name = "images";
    if (name == "array") {
      refused.push_back(wrong);
      refused.back().labels = {Label(std::numeric_limits<std::int64_t>::min())};
    }
    CheckRefused(Choice(name), DrawSamples(42, 3), refused);
  }
}

TEST_CASE("A chunk of images ends before 4 GiB", "[hdf5][array]") {
  // A million rows of 4294 bytes fit; nobody has room for them here.
  MemoryStorage storage;
  const auto writer = NewWriter(storage, ChoiceNamed("array", "1000000"));
  REQUIRE(writer.ok());
  const Status status =
      AppendTo(**writer, Pixels("|u1", {1, 1, 4295}, std::string(4295, 'x')));
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(),
             Catch::Contains("chunks of 1000000") && Catch::Contains("4 GiB"));
}

TEST_CASE("A failure at any call of the storage is one of the array file",
          "[hdf5][array][caffe][fault]") {
  const auto samples = DrawSamples(43, 5);
  for (const char* name : {"array", "caffe"}) {
    std::uint64_t call = 0;
    for (;; ++call) {
      REQUIRE(call < 100);
      MemoryStorage memory;
      FaultStorage storage(memory, {.call = call, .error = ENOSPC});
      const Status status = WriteAll(storage, Choice(name), samples);
      INFO(name << ", call " << call << ": " << status.ToString());
      CHECK(status.ok() == !storage.struck());
      if (!storage.struck()) break;
      CHECK(status.system_error() == ENOSPC);
      CHECK_THAT(status.where().path, Catch::StartsWith("x.h5"));
    }
    CHECK(call >= 4);
  }
}

TEST_CASE("A disk that is full at any byte fails the array file with the cause",
          "[hdf5][array][caffe][fault]") {
  const LossesOfLibrary aside;
  const TempDirectory folder;
  const std::string path = folder / "x.h5";
  const auto samples = DrawSamples(44, 40);
  for (const char* name : {"array", "caffe"}) {
    REQUIRE(WriteAll(LocalStorage(), Choice(name), samples, path).ok());
    const auto whole = LocalStorage().Stat(path);
    REQUIRE(whole.ok());
    for (std::uint64_t bytes = 0; bytes < whole->size; bytes += 331) {
      Status status;
      {
        const FileSizeLimit limit(bytes);
        status = WriteAll(LocalStorage(), Choice(name), samples, path);
      }
      INFO(name << ", full at " << bytes << ": " << status.ToString());
      CHECK(status.code() == Code::kIo);
      CHECK(status.system_error() == EFBIG);
      CHECK_THAT(status.where().path, Catch::StartsWith(path));
    }
  }
}

}  // namespace
}  // namespace shardine::array_file_test
