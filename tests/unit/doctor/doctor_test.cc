#include "shardine/doctor.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "doctor/storage_probe.h"
#include "support/pack_fixture.h"
#include "support/temp_directory.h"

namespace shardine::doctor_test {
namespace {

void Write(const std::string& path, std::size_t bytes) {
  std::ofstream(path) << std::string(bytes, 'x');
}

TEST_CASE("A disk gives positive rates of all kinds", "[doctor][storage]") {
  const TempDirectory temp;
  const std::string large = temp.path() + "/large";
  const std::string odd = temp.path() + "/odd";
  Write(large, 3'000'000);
  Write(odd, 4'097);
  Write(temp.path() + "/empty", 0);
  for (const bool keep_open : {true, false}) {
    const auto rates = ProbeStorage(
        {{large, 3'000'000}, {temp.path() + "/empty", 0}, {odd, 4'097}},
        {.image_bytes = 100'000,
         .readers = 3,
         .keep_open = keep_open,
         .time = std::chrono::milliseconds(50)},
        {});
    REQUIRE(rates.ok());
    CHECK(rates->seeks > 0);
    CHECK(rates->random_bytes > 0);
    CHECK(rates->sequential > 0);
    CHECK(rates->readers == 3);
  }
}

TEST_CASE("Rates of a disk follow from two sizes of random reads",
          "[doctor][storage]") {
  // 100 us to 4 KiB, 400 us to 100 KiB, by two at a time.
  const StorageRates rates =
      RatesOf({100e-6, 4'096}, {400e-6, 102'400}, 500e6, 2);
  CHECK(rates.seeks == Approx(20'000));
  CHECK(rates.random_bytes == Approx(2 * 98'304 / 300e-6));
  CHECK(rates.sequential == Approx(500e6));
  CHECK(rates.readers == 2);
  CHECK_FALSE(rates.from_memory);
}

TEST_CASE("Reads that take as long as their seeks have the rate of all bytes",
          "[doctor][storage]") {
  CHECK(RatesOf({0.01, 4'096}, {0.01, 100'000}, 1e6, 1).random_bytes ==
        Approx(1e7));
  CHECK(RatesOf({0.01, 4'096}, {0.009, 100'000}, 2e8, 1).random_bytes ==
        Approx(2e8));
}

TEST_CASE("What no disk gives came from memory", "[doctor][storage]") {
  CHECK(RatesOf({2e-6, 4'096}, {9e-6, 102'400}, 8e9, 2).from_memory);
  CHECK_FALSE(RatesOf({2e-6, 4'096}, {9e-6, 102'400}, 2e9, 2).from_memory);
  CHECK_FALSE(RatesOf({80e-6, 4'096}, {90e-6, 102'400}, 8e9, 2).from_memory);
}

TEST_CASE("A file that is gone is named", "[doctor][storage]") {
  const auto rates = ProbeStorage({{"/no/such/file", 10}}, {}, {});
  CHECK(rates.status().code() == Code::kNotFound);
  CHECK(rates.status().where().path == "/no/such/file");
}

TEST_CASE("Files without bytes cannot be measured", "[doctor][storage]") {
  CHECK(ProbeStorage({{"/no/such/file", 0}}, {}, {}).status().code() ==
        Code::kInvalidArgument);
}

TEST_CASE("A measurement that is stopped ends", "[doctor][storage]") {
  const TempDirectory temp;
  Write(temp.path() + "/file", 10'000);
  std::stop_source stop;
  stop.request_stop();
  CHECK(ProbeStorage({{temp.path() + "/file", 10'000}}, {}, stop.get_token())
            .status()
            .code() == Code::kCancelled);
}

TEST_CASE("What is neither a dataset nor images is refused", "[doctor]") {
  const TempDirectory temp;
  const auto refusal = [&](const std::string& target) {
    return Doctor({.target = target}).status();
  };
  CHECK(refusal(temp.path()).code() == Code::kNotFound);
  CHECK(refusal(temp.path()).message() ==
        "neither a dataset nor a folder with images");
  const Status gone = refusal(temp.path() + "/gone");
  CHECK(gone.code() == Code::kNotFound);
  CHECK(gone.system_error() == ENOENT);
  Write(temp.path() + "/file.txt", 10);
  CHECK(refusal(temp.path() + "/file.txt").message() ==
        "is a file, not a dataset");
  std::filesystem::create_directory(temp.path() + "/class");
  Write(temp.path() + "/class/empty.jpg", 0);
  CHECK(refusal(temp.path()).code() == Code::kNotFound);
  Write(temp.path() + "/class/wrong.jpg", 100);
  CHECK(refusal(temp.path()).code() == Code::kUnsupported);
}

}  // namespace
}  // namespace shardine::doctor_test
