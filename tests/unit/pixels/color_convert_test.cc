#include "pixels/color_convert.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

namespace shardine::color_convert_test {
namespace {

TEST_CASE("CmykToRgb gives for all values what Pillow's two steps give",
          "[color]") {
  for (int value = 0; value < 256; ++value) {
    for (int key = 0; key < 256; ++key) {
      const auto v = static_cast<std::uint8_t>(value);
      const std::uint8_t cmyk[] = {v, 0, 255, static_cast<std::uint8_t>(key)};
      std::uint8_t rgb[3];
      CmykToRgb(cmyk, rgb, 1);
      const int product = (255 - value) * key + 128;
      const int expected = key - (((product >> 8) + product) >> 8);
      if (rgb[0] != expected || rgb[1] != 0 || rgb[2] != key) {
        FAIL(value << " * " << key);
      }
    }
  }
}

TEST_CASE("OpenCV's CMYK is at most two levels from Pillow's", "[color]") {
  int worst = 0;
  for (int value = 0; value < 256; ++value) {
    for (int key = 0; key < 256; ++key) {
      const auto v = static_cast<std::uint8_t>(value);
      const std::uint8_t cmyk[] = {v, 0, 255, static_cast<std::uint8_t>(key)};
      std::uint8_t pillow[3];
      std::uint8_t opencv[3];
      CmykToRgb(cmyk, pillow, 1);
      OpenCvCmykToRgb(cmyk, opencv, 1);
      worst = std::max(worst, std::abs(pillow[0] - opencv[0]));
      CHECK(int{opencv[2]} == key);
    }
  }
  CHECK(worst == 2);
}

// Expected values are by cv2.imdecode of 4.9, of CMYK and of PNG pixels with
// these values.
TEST_CASE("OpenCV's gray of RGB and of CMYK has its own weights", "[color]") {
  const std::uint8_t rgb[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 200, 202, 216};
  std::uint8_t gray[4];
  OpenCvRgbToGray(rgb, gray, 4);
  CHECK(int{gray[0]} == 76);
  CHECK(int{gray[1]} == 149);
  CHECK(int{gray[2]} == 29);
  CHECK(int{gray[3]} == 202);  // one more of any weight: 203
  const std::uint8_t cmyk[] = {255, 255, 255, 255, 0, 0,   0, 255,
                               255, 0,   0,   255, 0, 255, 0, 128};
  OpenCvCmykToGray(cmyk, gray, 4);
  CHECK(int{gray[0]} == 255);
  CHECK(int{gray[1]} == 1);
  CHECK(int{gray[2]} == 77);
  CHECK(int{gray[3]} == 76);
}

TEST_CASE("RgbToGray keeps gray and weighs the channels", "[color]") {
  for (int value = 0; value < 256; ++value) {
    const auto v = static_cast<std::uint8_t>(value);
    const std::uint8_t rgb[] = {v, v, v};
    std::uint8_t gray = 0;
    RgbToGray(rgb, &gray, 1);
    CHECK(gray == value);
  }
  const std::uint8_t primaries[] = {255, 0, 0, 0, 255, 0, 0, 0, 255};
  std::uint8_t gray[3];
  RgbToGray(primaries, gray, 3);
  CHECK(int{gray[0]} == 76);
  CHECK(int{gray[1]} == 150);
  CHECK(int{gray[2]} == 29);
}

TEST_CASE("GrayToRgb makes three of each", "[color]") {
  const std::uint8_t gray[] = {1, 255};
  std::vector<std::uint8_t> rgb(6);
  GrayToRgb(gray, rgb.data(), 2);
  CHECK(rgb == std::vector<std::uint8_t>{1, 1, 1, 255, 255, 255});
}

}  // namespace
}  // namespace shardine::color_convert_test
