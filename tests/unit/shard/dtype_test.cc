#include "shard/dtype.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "shardine/sample.h"

namespace shardine::dtype_test {
namespace {

using Shape = std::vector<std::uint64_t>;

TEST_CASE("DtypeBytes knows the size of an element by its name", "[dtype]") {
  struct Known {
    const char* name;
    std::uint64_t bytes;
  };
  const auto known = GENERATE(values<Known>(
      {{"|b1", 1},   {"|i1", 1},   {"|u1", 1},     {"<i2", 2},
       {"<u4", 4},   {"<i8", 8},   {"<f2", 2},     {"<f4", 4},
       {"<f8", 8},   {"<f12", 12}, {"<f16", 16},   {"<c8", 8},
       {"<c32", 32}, {"|S7", 7},   {"|S0", 0},     {"<U3", 12},
       {"|V9", 9},   {"<M8", 8},   {"<M8[ns]", 8}, {"<m8[25s]", 8}}));
  CAPTURE(known.name);
  CHECK(DtypeBytes(known.name) == known.bytes);
}

TEST_CASE("DtypeBytes knows nothing of other names", "[dtype]") {
  const std::string name = GENERATE(
      "", "<", "<f", "f4", ">f4", "=f4", "<f3", "<i16", "<b2", "|O", "|O8",
      "|S", "<f4 ", " <f4", "<f4x", "<f-4", "<f+4", "<f4[ns]", "<M8[ns",
      "<M8[]", "<M8[n\x01]", "<M4", "<S99999999999999999999", "<U4294967296");
  CAPTURE(name);
  CHECK_FALSE(DtypeBytes(name).has_value());
}

TEST_CASE("ArrayBytes multiplies without wrapping", "[dtype]") {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  CHECK(ArrayBytes("<f4", {}) == 4u);
  CHECK(ArrayBytes("<f4", Shape{3, 5}) == 60u);
  CHECK(ArrayBytes("<f4", Shape{kHuge, 0, kHuge}) == 0u);
  CHECK(ArrayBytes("|S0", Shape{kHuge, kHuge}) == 0u);
  CHECK(ArrayBytes("|u1", Shape{(1ULL << 63) - 1}) == (1ULL << 63) - 1);
  CHECK_FALSE(ArrayBytes("|u1", Shape{1ULL << 63}));
  CHECK_FALSE(ArrayBytes("<f4", Shape{1ULL << 62}));  // 2^64 would be 0
  CHECK_FALSE(ArrayBytes("|u1", Shape{1ULL << 32, 1ULL << 32}));
  CHECK_FALSE(ArrayBytes("<f8", Shape{kHuge, kHuge}));
  CHECK(ArrayBytes("|u1", Shape(64, 1)) == 1u);
  CHECK_FALSE(ArrayBytes("|u1", Shape(65, 1)));
  CHECK_FALSE(ArrayBytes("|O8", Shape{1}));
}

TEST_CASE("CheckFieldType takes plain bytes of any length", "[dtype]") {
  CHECK(CheckFieldType("a", kBytesDtype, {}, 0).ok());
  CHECK(CheckFieldType("a", kBytesDtype, {}, ~std::uint64_t{0}).ok());
  CHECK(CheckFieldType("a", kBytesDtype, Shape{1}, 1).code() ==
        Code::kUnsupported);
}

TEST_CASE("CheckFieldType names the field in one line of bounded length",
          "[dtype]") {
  const Status shape = CheckFieldType("a\n", "<f4", Shape{3, 2}, 23);
  CHECK(shape.code() == Code::kCorrupt);
  CHECK(shape.message() ==
        "the field \"a\\x0A\" has 23 bytes, which is not what <f4 x 3 x 2 "
        "takes");
  const Status type =
      CheckFieldType("a", std::string(100'000, '\x1b'), Shape{}, 4);
  CHECK(type.code() == Code::kUnsupported);
  CHECK(type.message().size() < 300);
  CHECK(type.message().find('\x1b') == std::string::npos);
  CHECK(DescribeType("|u1", Shape(60, 7)).size() < 60);
}

}  // namespace
}  // namespace shardine::dtype_test
