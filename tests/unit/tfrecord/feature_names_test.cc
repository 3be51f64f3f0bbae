#include "tfrecord/feature_names.h"

#include <catch2/catch.hpp>
#include <vector>

namespace shardine::feature_names_test {
namespace {

bool Describes(std::string_view dtype, std::vector<std::uint64_t> shape,
               std::uint64_t bytes) {
  return DescribesArray(dtype, shape, bytes);
}

TEST_CASE("DescribesArray multiplies item size and shape", "[tfrecord]") {
  CHECK(Describes("<f8", {}, 8));
  CHECK(Describes("<f8", {61, 61, 2}, 59536));
  CHECK(Describes("|u1", {3, 4}, 12));
  CHECK(Describes("<U3", {2}, 24));
  CHECK(Describes("|S5", {2}, 10));
  CHECK(Describes("<c16", {1}, 16));
  CHECK(Describes("<M8[ns]", {2}, 16));
  CHECK(Describes("<f8", {0}, 0));
  CHECK(Describes("<f8", {~0ULL, 0, ~0ULL}, 0));
  CHECK_FALSE(Describes("<f8", {}, 4));
  CHECK_FALSE(Describes("<f8", {2}, 8));
  CHECK_FALSE(Describes("<f8", {0}, 8));
  CHECK_FALSE(Describes("|u1", {3, 4}, 0));
}

TEST_CASE("DescribesArray takes no product that overflows", "[tfrecord]") {
  CHECK_FALSE(Describes("<f8", {1ULL << 61}, 0));
  CHECK_FALSE(Describes("|u1", {1ULL << 32, 1ULL << 32}, 0));
  CHECK_FALSE(Describes("|u1", {1ULL << 40, 1ULL << 40}, 1ULL << 62));
  CHECK_FALSE(Describes("<f8", {1ULL << 61, 8}, 64));
  CHECK_FALSE(Describes("<U2147483648", {1ULL << 31}, 0));
}

TEST_CASE("DescribesArray takes only dtypes with a size in one byte order",
          "[tfrecord]") {
  for (const char* dtype :
       {"", "|S", "<f", "f8", ">f8", "=f8", "|O8", "<f8 ", "<f-8", "<f0",
        "<f8x", "<M8[ns", "<f8[ns]", "|S0", "<f99999999999999999999"}) {
    INFO(dtype);
    CHECK_FALSE(Describes(dtype, {1}, 8));
    CHECK_FALSE(Describes(dtype, {1}, 0));
  }
}

TEST_CASE("DescribesArray takes ranks up to NumPy's", "[tfrecord]") {
  CHECK(Describes("|u1", std::vector<std::uint64_t>(32, 1), 1));
  CHECK_FALSE(Describes("|u1", std::vector<std::uint64_t>(33, 1), 1));
}

}  // namespace
}  // namespace shardine::feature_names_test
