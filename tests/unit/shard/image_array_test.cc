#include "shard/image_array.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::image_array_test {
namespace {

using Shape = std::vector<std::uint64_t>;

TEST_CASE("ImageArrayOf takes height, width and channels as NumPy has them",
          "[image_array]") {
  CHECK(ImageArrayOf("|u1", Shape{7, 5}) == ImageArray{{5, 7}, 1});
  for (const std::uint8_t channels : std::vector<std::uint8_t>{1, 3, 4}) {
    CHECK(ImageArrayOf("|u1", Shape{7, 5, channels}) ==
          ImageArray{{5, 7}, channels});
  }
}

TEST_CASE("ImageArrayOf takes no other arrays", "[image_array]") {
  const Shape shapes[] = {
      {},     {7},       {7, 5, 2}, {7, 5, 5}, {3, 7, 5},         {7, 5, 3, 1},
      {0, 5}, {7, 0, 3}, {7, 5, 0}, {0, 0, 0}, {7, 5, 1ull << 32}};
  for (const Shape& shape : shapes) CHECK_FALSE(ImageArrayOf("|u1", shape));
  for (const char* dtype : {"|i1", "|b1", "<u2", "<f4", "|S", "|S1", ""}) {
    CHECK_FALSE(ImageArrayOf(dtype, Shape{7, 5, 3}));
  }
}

// As many as DecodeLimits lets a file have; products that wrap have more.
TEST_CASE("ImageArrayOf takes no more pixels than a file may have",
          "[image_array][hostile]") {
  const std::uint64_t most = std::uint64_t{1} << 28;
  CHECK(ImageArrayOf("|u1", Shape{1, most}).has_value());
  CHECK(ImageArrayOf("|u1", Shape{most, 1, 3}).has_value());
  CHECK(ImageArrayOf("|u1", Shape{1 << 14, 1 << 14}).has_value());
  for (const Shape& shape :
       {Shape{1, most + 1}, Shape{most + 1, 1}, Shape{(1 << 14) + 1, 1 << 14},
        Shape{1ull << 32, 1ull << 32}, Shape{~0ull, ~0ull, 3},
        Shape{1ull << 63, 2, 4}}) {
    CHECK_FALSE(ImageArrayOf("|u1", shape));
  }
}

TEST_CASE("NotAnImage says what the field is", "[image_array]") {
  const Shape shape{3, 8, 9};
  const Status status =
      NotAnImage({.name = "im\nage", .dtype = "<f4", .shape = shape});
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(),
             Catch::StartsWith(
                 "the field \"im\\x0Aage\" is <f4 x 3 x 8 x 9, and no image"));
}

}  // namespace
}  // namespace shardine::image_array_test
