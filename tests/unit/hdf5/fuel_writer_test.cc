#include <limits>
#include <thread>

#include "unit/hdf5/own_samples.h"

namespace shardine::fuel_writer_test {
namespace {

void CheckRoundTrip(const std::vector<OwnSample>& samples) {
  MemoryStorage storage;
  REQUIRE(WriteAll(storage, ChoiceNamed("fuel"), samples).ToString() == "OK");
  Status status;
  const auto rows = ScanRows(storage, "x.h5", status);
  REQUIRE(status.ToString() == "OK");
  REQUIRE(rows.size() == samples.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO("sample " << i);
    CHECK(rows[i].key == samples[i].key);
    CHECK(rows[i].labels == samples[i].labels);
    REQUIRE(rows[i].fields.size() == samples[i].fields.size());
    for (std::size_t f = 0; f < rows[i].fields.size(); ++f) {
      const auto& found = rows[i].fields[f];
      const auto& given = samples[i].fields[f];
      CHECK(found.name == given.name);
      CHECK(found.dtype == given.dtype);
      CHECK(found.shape == given.shape);
      CHECK((found.bytes == given.bytes));
      CHECK(found.in_place);
    }
  }
}

TEST_CASE("FuelWriter keeps which samples lack a field", "[hdf5][fuel]") {
  // Beyond a batch of 256 rows before the first, between, and behind the last.
  for (const std::size_t first : {0U, 1U, 255U, 256U, 300U, 599U}) {
    for (const std::size_t every : {1U, 7U, 400U}) {
      std::vector<OwnSample> samples;
      for (std::size_t i = 0; i < 600; ++i) {
        samples.push_back(Encoded(std::string(i % 5, 'x')));
        samples.back().key = std::to_string(i);
        if (i >= first && (i - first) % every == 0) {
          samples.back().fields.push_back(
              {"points", "<f4", {i % 3, 2}, std::string(8 * (i % 3), 'p')});
        }
      }
      INFO("from " << first << " every " << every);
      CheckRoundTrip(samples);
    }
  }
}

TEST_CASE("FuelWriter keeps samples without an image", "[hdf5][fuel]") {
  std::vector<OwnSample> samples = {Encoded("a"), OwnSample{}, Encoded(""),
                                    OwnSample{}};
  samples[1].fields = {{"other", "|S", {}, "bytes"}};
  CheckRoundTrip(samples);
  CheckRoundTrip({OwnSample{}, OwnSample{}});
}

TEST_CASE("FuelWriter keeps arrays of any type it names, of any rank",
          "[hdf5][fuel]") {
  std::vector<OwnSample> samples;
  for (const char* dtype : {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4",
                            "<i8", "<u8", "<f2", "<f4", "<f8"}) {
    const auto size = static_cast<std::size_t>(dtype[2] - '0');
    OwnSample given = Encoded("image");
    given.fields.insert(given.fields.begin(), {"f" + std::string(dtype + 1),
                                               dtype,
                                               {2, 1, 3},
                                               std::string(6 * size, '\1')});
    if (given.fields[0].name > "image")
      std::swap(given.fields[0], given.fields[1]);
    samples.push_back(given);
    given.fields[0].shape = {};
    given.fields[0].bytes.resize(size);
    samples.push_back(given);
  }
  CheckRoundTrip(samples);
}

TEST_CASE("FuelWriter keeps keys of any bytes and none", "[hdf5][fuel]") {
  std::vector<OwnSample> samples;
  for (int i = 0; i < 520; ++i) {
    samples.push_back(Encoded("x"));
    samples.back().key = i % 50 == 7  ? std::string("a\0b", 3)
                         : i % 3 == 0 ? std::string()
                                      : "key" + std::to_string(i);
  }
  samples[300].key = std::string(1, '\0');
  samples[301].key = std::string(3'000'000, 'k');
  CheckRoundTrip(samples);
}

TEST_CASE("FuelWriter keeps every label but the one that stands for none",
          "[hdf5][fuel]") {
  std::vector<OwnSample> samples = {Encoded("a"), Encoded("b"), Encoded("c")};
  samples[1].labels = {Label(std::numeric_limits<std::int64_t>::min() + 1)};
  samples[2].labels = {Label(std::numeric_limits<std::int64_t>::max())};
  CheckRoundTrip(samples);
}

TEST_CASE("FuelWriter writes bytes that no clock and no neighbour changes",
          "[hdf5][fuel]") {
  std::string files[2];
  const auto write = [](std::string& to) {
    std::vector<OwnSample> samples;
    for (std::size_t i = 0; i < 700; ++i) {
      samples.push_back(Encoded(std::string(i, 'x')));
    }
    MemoryStorage storage;
    const Status status = WriteAll(storage, ChoiceNamed("fuel"), samples);
    if (status.ok()) to = *storage.Get("x.h5");
  };
  write(files[0]);
  // HDF5's times are whole seconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  std::string other;
  {
    const std::jthread a([&] { write(other); });
    const std::jthread b([&] { write(files[1]); });
  }
  CHECK_FALSE(files[0].empty());
  CHECK((files[0] == files[1]));
  CHECK((files[0] == other));
}

}  // namespace
}  // namespace shardine::fuel_writer_test
