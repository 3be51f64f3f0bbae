#include "pixels/opencv_colors.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "pixels/opencv_hls.h"
#include "unit/pixels/drawn_pixels.h"

namespace shardine::opencv_colors_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

DrawnPixels OneColor(Bytes color, PixelSize size = {1, 1}) {
  DrawnPixels image(size);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) {
    image.bytes[i] = color[i % 3];
  }
  return image;
}

TEST_CASE("ScaleAndShift rounds halves to even and clamps", "[opencv_colors]") {
  DrawnPixels image = OneColor({1, 3, 200});
  ScaleAndShift(image.view(), 0.5f, 0);
  CHECK(image.bytes == Bytes{0, 2, 100});
  ScaleAndShift(image.view(), 3, -50);
  CHECK(image.bytes == Bytes{0, 0, 250});
  ScaleAndShift(image.view(), -1, 255);
  CHECK(image.bytes == Bytes{255, 255, 5});
}

TEST_CASE("Gray weighs red as blue and blue as red", "[opencv_colors]") {
  // (1868, 9617 and 4899) 255 / 2^14, rounded.
  CHECK(MeanOfSwappedGray(OneColor({255, 0, 0}).view()) == 29);
  CHECK(MeanOfSwappedGray(OneColor({0, 255, 0}).view()) == 150);
  CHECK(MeanOfSwappedGray(OneColor({0, 0, 255}).view()) == 76);
  CHECK(MeanOfSwappedGray(OneColor({255, 255, 255}).view()) == 255);
  DrawnPixels two = OneColor({0, 0, 0}, {2, 1});
  two.bytes[3] = two.bytes[4] = two.bytes[5] = 255;
  CHECK(MeanOfSwappedGray(two.view()) == 127.5f);
}

TEST_CASE("Nothing of the image blended is its gray", "[opencv_colors]") {
  DrawnPixels image = OneColor({255, 0, 0}, {5, 3});
  BlendWithSwappedGray(image.view(), 0, 1);
  CHECK(std::ranges::all_of(image.bytes, [](int v) { return v == 29; }));
  const DrawnPixels before({17, 9});
  image = before;
  BlendWithSwappedGray(image.view(), 1, 0);
  CHECK(image == before);
}

TEST_CASE("AddTruncated cuts fractions off towards zero", "[opencv_colors]") {
  DrawnPixels image = OneColor({10, 10, 250});
  AddTruncated(image.view(), {0.9f, -0.1f, 7});
  CHECK(image.bytes == Bytes{10, 9, 255});
  AddTruncated(image.view(), {-10.5f, -300, -255});
  CHECK(image.bytes == Bytes{0, 0, 0});
}

TEST_CASE("ShiftHls turns hues by twice as many degrees", "[opencv_hls]") {
  const auto shifted = [](Bytes color, HlsShift shift) {
    DrawnPixels image = OneColor(color);
    ShiftHls(image.view(), shift);
    return image.bytes;
  };
  CHECK(shifted({255, 0, 0}, {.h = 60}) == Bytes{1, 255, 1});
  CHECK(shifted({255, 0, 0}, {.h = 120}) == Bytes{1, 1, 255});
  // Red is as light as 127.5, which no byte is. 180 is red again; beyond it
  // hues are clamped, not turned.
  CHECK(shifted({255, 0, 0}, {.h = 180}) == Bytes{255, 1, 1});
  CHECK(shifted({0, 0, 255}, {.h = 100}) == Bytes{255, 1, 1});
  CHECK(shifted({9, 9, 9}, {.l = 255}) == Bytes{255, 255, 255});
  CHECK(shifted({9, 200, 9}, {.l = -255}) == Bytes{0, 0, 0});
  CHECK(shifted({200, 100, 100}, {.s = -255}) == Bytes{150, 150, 150});
}

TEST_CASE("Grays stay what they are in HLS", "[opencv_hls]") {
  for (int v = 0; v < 256; ++v) {
    const auto gray = static_cast<std::uint8_t>(v);
    DrawnPixels image = OneColor({gray, gray, gray}, {11, 2});
    const DrawnPixels before = image;
    ShiftHls(image.view(), {.h = 33});
    REQUIRE(image == before);
  }
}

TEST_CASE("Bytes of HLS keep colors to a few levels", "[opencv_hls]") {
  const DrawnPixels before({64, 64});
  DrawnPixels image = before;
  ShiftHls(image.view(), {});
  int most = 0;
  for (std::size_t i = 0; i < image.bytes.size(); ++i) {
    most = std::max(most, std::abs(image.bytes[i] - before.bytes[i]));
  }
  CHECK(most > 0);
  CHECK(most <= 8);
}

}  // namespace
}  // namespace shardine::opencv_colors_test
