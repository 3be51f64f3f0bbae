#include "lmdb/numpy_dtype.h"

#include <catch2/catch.hpp>
#include <numeric>

namespace shardine::numpy_dtype_test {
namespace {

TEST_CASE("Dtypes of plain items are read and written as NumPy names them",
          "[lmdb][dtype]") {
  for (const char* name :
       {"|b1", "|i1", "|u1", "<i2", "<u4", "<i8", "<f2", "<f4", "<f8", "<f16",
        "<c8", "<c16", "<c32", "|S1", "|S300", "<U1", "<U17"}) {
    INFO(name);
    const auto dtype = ParseDtypeName(name);
    REQUIRE(dtype);
    CHECK(dtype->Name() == name);
    CHECK(dtype->Code() == std::string(name).substr(1));
    const auto coded = ParseDtypeCode(std::string(name).substr(1));
    REQUIRE(coded);
    CHECK(coded->item_size == dtype->item_size);
  }
  // Fields are little-endian, whatever the array was.
  CHECK(ParseDtypeName(">i4")->Name() == "<i4");
  CHECK(ParseDtypeName(">i4")->order == '>');
}

TEST_CASE("What is no dtype of plain items is none", "[lmdb][dtype]") {
  for (const char* name :
       {"",     "<",    "<i",   "i4",          "<i3",          "<i16", "<u0",
        "|i4",  "<u1",  ">b1",  "<S4",         "|U4",          "=i4",  " <i4",
        "<i4 ", "<i+4", "<i04", "|O8",         "<M8",          "<V4",  "|S0",
        "<U0",  "<c4",  "<f1",  "|S999999999", "|S4294967297", "<i-4"}) {
    INFO(name);
    CHECK_FALSE(ParseDtypeName(name));
  }
}

TEST_CASE("Numbers are turned by the number, letters by the letter",
          "[lmdb][dtype]") {
  const auto swapped = [](const char* name, std::string bytes) {
    SwapBytes(*ParseDtypeName(name), std::as_writable_bytes(std::span(bytes)));
    return bytes;
  };
  CHECK(swapped(">i4", "abcdefgh") == "dcbahgfe");
  CHECK(swapped(">c8", "abcdefgh") == "dcbahgfe");
  CHECK(swapped(">U2", "abcdefgh") == "dcbahgfe");
  CHECK(swapped("|S8", "abcdefgh") == "abcdefgh");
  CHECK(swapped(">f8", "") == "");
}

TEST_CASE("ArrayBytes is the product, or nothing beyond 2^64",
          "[lmdb][dtype]") {
  const NumpyDtype f8 = *ParseDtypeName("<f8");
  const auto bytes = [&](std::vector<std::uint64_t> shape) {
    return ArrayBytes(f8, shape);
  };
  CHECK(bytes({}) == 8);
  CHECK(bytes({3, 5}) == 120);
  CHECK(bytes({std::uint64_t{1} << 60}) == std::uint64_t{1} << 63);
  CHECK_FALSE(bytes({std::uint64_t{1} << 61}));
  CHECK_FALSE(bytes({std::uint64_t{1} << 32, std::uint64_t{1} << 32}));
  // An empty array's other dimensions may be any.
  CHECK(bytes({std::uint64_t{1} << 63, 16, 0}) == 0);
}

TEST_CASE("FortranToC puts every item where C order has it", "[lmdb][dtype]") {
  const std::vector<std::uint64_t> shapes[] = {
      {}, {5}, {2, 3}, {3, 2}, {2, 3, 4}, {4, 1, 3, 2}, {1, 1}};
  for (const auto& shape : shapes) {
    for (const char* name : {"|u1", "<i2"}) {
      const NumpyDtype dtype = *ParseDtypeName(name);
      const auto total = static_cast<std::size_t>(*ArrayBytes(dtype, shape));
      std::string from(total, '\0');
      std::iota(from.begin(), from.end(), '\1');
      std::string to(total, '\0');
      FortranToC(dtype, shape, AsBytes(from),
                 std::as_writable_bytes(std::span(to)));
      // Each item's index, counted up in C order.
      std::vector<std::uint64_t> index(shape.size());
      for (std::size_t at = 0; at < total; at += dtype.item_size) {
        std::uint64_t place = 0;
        for (std::size_t d = shape.size(); d-- > 0;) {
          place = place * shape[d] + index[d];
        }
        const auto source = static_cast<std::size_t>(place * dtype.item_size);
        REQUIRE(to.substr(at, dtype.item_size) ==
                from.substr(source, dtype.item_size));
        for (std::size_t d = shape.size(); d-- > 0;) {
          if (++index[d] < shape[d]) break;
          index[d] = 0;
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardine::numpy_dtype_test
