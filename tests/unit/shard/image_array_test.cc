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

TEST_CASE("DeepArrayOf knows each layout and element", "[image_array]") {
  using L = ArrayLayout;
  for (const L layout : {L::kChw, L::kBgrPlanes}) {
    CHECK(ImageArrayOf("|u1", Shape{3, 7, 5}, layout)->size == PixelSize{5, 7});
    CHECK_FALSE(ImageArrayOf("|u1", Shape{7, 5, 3}, layout));
    CHECK_FALSE(ImageArrayOf("|u1", Shape{2, 7, 5}, layout));
    CHECK(ImageArrayOf("|u1", Shape{7, 5}, layout)->size == PixelSize{5, 7});
  }
  for (const char* dtype : {"|b1", "<u2", ">u2"}) {
    CHECK_FALSE(ImageArrayOf(dtype, Shape{7, 5}));
    CHECK(DeepArrayOf(dtype, Shape{7, 5}, L::kHwc)->bits() ==
          (dtype[2] == '2' ? 16 : 8));
  }
  for (const char* dtype : {"|i1", "<i2", "<u4", "<f4", "|S", ""}) {
    CHECK_FALSE(DeepArrayOf(dtype, Shape{7, 5}, L::kHwc));
  }
  CHECK_FALSE(DeepArrayOf("<u2", Shape{3, ~0ull, 5}, L::kChw));
  CHECK(HasTwoLayouts(Shape{3, 9, 1}));
  CHECK_FALSE(HasTwoLayouts(Shape{3, 9, 9}));
  CHECK_FALSE(HasTwoLayouts(Shape{3, 3}));
}

TEST_CASE("ArrangePixels brings all layouts to red, green and blue",
          "[image_array]") {
  // Two pixels, (1, 2, 3) and (4, 5, 6).
  const std::string wanted = "\1\2\3\4\5\6";
  const auto arranged = [](const ImageArray& array, const std::string& bytes) {
    ByteBuffer pixels;
    ArrangePixels(array, AsBytes(bytes), pixels);
    return std::string(AsText(pixels.view()));
  };
  const auto in = [](ArrayLayout layout) {
    return ImageArray{{2, 1}, 3, layout};
  };
  CHECK(arranged(in(ArrayLayout::kHwc), "\1\2\3\4\5\6") == wanted);
  CHECK(arranged(in(ArrayLayout::kChw), "\1\4\2\5\3\6") == wanted);
  CHECK(arranged(in(ArrayLayout::kBgr), "\3\2\1\6\5\4") == wanted);
  CHECK(arranged(in(ArrayLayout::kBgrPlanes), "\3\6\2\5\1\4") == wanted);
  // A fourth channel stays the fourth, gray stays gray.
  CHECK(arranged({{1, 1}, 4, ArrayLayout::kBgr}, "\3\2\1\7") == "\1\2\3\7");
  CHECK(arranged({{2, 1}, 1, ArrayLayout::kBgrPlanes}, "\1\2") == "\1\2");
  ImageArray deep{{2, 1}, 1, ArrayLayout::kHwc, PixelElement::kBigEndian16};
  CHECK(arranged(deep, "\1\2\3\4") == "\2\1\4\3");
  deep.element = PixelElement::kLittle16;
  CHECK(arranged(deep, "\1\2\3\4") == "\1\2\3\4");
  deep.element = PixelElement::kBool;
  CHECK(arranged(deep, std::string("\0\2", 2)) == std::string("\0\xff", 2));
}

TEST_CASE("Arrays of four channels are not encoded", "[image_array]") {
  const Shape shape{7, 5, 4};
  const FieldView field{.name = "image", .dtype = "|u1", .shape = shape};
  CHECK(CheckEncodable(field, ArrayLayout::kHwc).code() == Code::kUnsupported);
  const Shape planes{3, 7, 5};
  const FieldView image{.name = "image", .dtype = "|u1", .shape = planes};
  CHECK(CheckEncodable(image, ArrayLayout::kChw).ok());
  CHECK_THAT(CheckEncodable(image, ArrayLayout::kBgr).message(),
             Catch::EndsWith("no image of image layout bgr"));
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
