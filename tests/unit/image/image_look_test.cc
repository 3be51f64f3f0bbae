// Properties of images as CleanVision defines them.

#include "image/image_look.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "image/image_decode.h"
#include "support/jpeg_maker.h"

namespace shardine::image_look_test {
namespace {

ImageLook LookOf(const std::vector<std::uint8_t>& pixels, PixelSize size,
                 std::uint8_t channels) {
  ImageLooks looks;
  ImageLook look;
  looks.MeasurePixels({.data = pixels.data(),
                       .size = size,
                       .channels = channels,
                       .stride = std::size_t{size.width} * channels},
                      look);
  return look;
}

}  // namespace

TEST_CASE("ImageLooks finds nothing in an image of one level", "[image_look]") {
  const std::vector<std::uint8_t> white(40 * 30, 255);
  const ImageLook look = LookOf(white, {40, 30}, 1);
  CHECK(look.is_gray);
  CHECK(look.dark_percentile == 1);
  CHECK(look.light_percentile == 1);
  CHECK(look.entropy == 0);
  // As Pillow has it, the 136 pixels of the border stay, and all others are 0.
  const double border = 136.0 / 1200;
  CHECK(look.edges == Approx(255 * std::sqrt(border * (1 - border))));
  // 1200 in one of 256 counts.
  CHECK(look.tones == Approx(1200 * std::sqrt(255.0) / 256));
}

TEST_CASE("ImageLooks weighs the channels of brightness", "[image_look]") {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 100; ++i) {
    pixels.insert(pixels.end(), {200, 100, 50});
  }
  const ImageLook look = LookOf(pixels, {10, 10}, 3);
  CHECK_FALSE(look.is_gray);
  CHECK(look.light_percentile ==
        Approx(std::sqrt(0.241 * 40000 + 0.691 * 10000 + 0.068 * 2500) / 255));
  CHECK(look.entropy == Approx(std::log2(3)));
}

TEST_CASE("Percentiles lie between two levels as NumPy's do", "[image_look]") {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 11; ++i) {
    pixels.push_back(static_cast<std::uint8_t>(i * 10));
  }
  const ImageLook look = LookOf(pixels, {11, 1}, 1);
  CHECK(look.dark_percentile == Approx(5.0 / 255));
  CHECK(look.light_percentile == Approx(99.0 / 255));
}

TEST_CASE("An edge counts inside of the border alone", "[image_look]") {
  std::vector<std::uint8_t> pixels(25, 0);
  pixels[12] = 100;  // in the middle: 800 there, cut at 255
  const ImageLook look = LookOf(pixels, {5, 5}, 1);
  CHECK(look.edges == Approx(std::sqrt(255.0 * 255 / 25 * (1 - 1.0 / 25))));
}

TEST_CASE("A JPEG has nearly the look of its pixels", "[image_look]") {
  ImageLooks looks;
  ImageLook look;
  const std::string photo = MakeJpeg({.width = 600, .height = 400, .noise = 4});
  REQUIRE(looks.Measure(AsBytes(photo), look).ok());
  CHECK(look.size == PixelSize{600, 400});
  CHECK_FALSE(look.is_gray);
  PixelBuffer pixels;
  REQUIRE(DecodeImage(AsBytes(photo), {}, pixels).ok());
  ImageLook whole;
  looks.MeasurePixels(pixels.view(), whole);
  CHECK(look.dark_percentile == Approx(whole.dark_percentile).margin(0.02));
  CHECK(look.light_percentile == Approx(whole.light_percentile).margin(0.02));
  CHECK(look.entropy == Approx(whole.entropy).margin(0.3));
  CHECK(look.edges == Approx(whole.edges).epsilon(0.1));
  const std::string gray = MakeJpeg({.color = JpegColor::kGray});
  REQUIRE(looks.Measure(AsBytes(gray), look).ok());
  CHECK(look.is_gray);
  REQUIRE(
      looks.Measure(AsBytes(MakeJpeg({.color = JpegColor::kCmyk})), look).ok());
}

TEST_CASE("ImageLooks reads a cut image or says why not",
          "[image_look][hostile]") {
  ImageLooks looks;
  const std::string photo = MakeJpeg({.width = 200, .height = 100});
  int failed = 0;
  for (std::size_t size = 0; size < photo.size(); size += 7) {
    ImageLook look;
    const Status status =
        looks.Measure(AsBytes(std::string_view(photo).substr(0, size)), look);
    failed += status.ok() ? 0 : 1;
    if (status.ok()) CHECK(look.size == PixelSize{200, 100});
  }
  CHECK(failed > 0);
}

}  // namespace shardine::image_look_test
