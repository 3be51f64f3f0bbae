// Sizes of arrays against sizes of PNGs of the same pixels.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "image/image_decode.h"
#include "image/png_encode.h"
#include "image/recoder.h"
#include "support/picture_maker.h"

namespace shardine::recode_array_test {
namespace {

// An array of the picture's first channels.
PixelBuffer ArrayOf(PixelSize size, std::uint8_t channels) {
  const PixelBuffer picture = MakePicture(size, 3, 5);
  PixelBuffer array;
  array.Reset(size, channels);
  for (std::uint32_t y = 0; y < size.height; ++y) {
    for (std::uint32_t x = 0; x < size.width; ++x) {
      for (std::uint8_t c = 0; c < channels; ++c) {
        array.row(y)[x * channels + c] = picture.view().row(y)[3 * x + c];
      }
    }
  }
  return array;
}

void CheckSizes(const PixelBuffer& array, const ImageOptions& options) {
  const std::vector<std::uint32_t> short_sides = {8, 21, 48};
  Recoder recoder(options, short_sides);
  std::vector<RecodedImage> arrays(short_sides.size());
  std::vector<RecodedImage> files(short_sides.size());
  ByteBuffer png;
  REQUIRE(EncodePng(array.view(), {}, png).ok());
  // The one after the other by the same tools, as neighbours of a set are.
  REQUIRE(recoder.Recode(png.view(), files).made);
  const RecodeResult made = recoder.RecodeArray(array.view(), arrays);
  REQUIRE(made.made);
  CHECK(made.verdict.good());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    PixelBuffer expected;
    REQUIRE(DecodeImage(files[i].bytes.view(), {.color = ColorMode::kKeep},
                        expected)
                .ok());
    CHECK(arrays[i].size == expected.size());
    CHECK(AsText(arrays[i].bytes.view()) == AsText(expected.bytes()));
    CHECK(arrays[i].upscaled == files[i].upscaled);
    CHECK(arrays[i].facts == ImageFacts());
    CHECK_FALSE(arrays[i].kept);
  }
}

TEST_CASE("Recoder makes of an array the pixels that it makes of its PNG",
          "[recoder]") {
  for (const std::uint8_t channels : std::vector<std::uint8_t>{1, 3}) {
    for (const PixelSize size :
         {PixelSize{40, 31}, PixelSize{31, 40}, PixelSize{21, 700}}) {
      CAPTURE(int{channels}, size.width, size.height);
      const PixelBuffer array = ArrayOf(size, channels);
      const ImageOptions png{.encoding = Encoding::kPng};
      CheckSizes(array, png);
      ImageOptions options = png;
      options.upscale = false;
      CheckSizes(array, options);
      options.center_crop = true;
      options.filter = Filter::kLanczos;
      CheckSizes(array, options);
    }
  }
}

TEST_CASE("Recoder makes no array of more pixels than a file may have",
          "[recoder][hostile]") {
  Recoder recoder({}, {9});
  std::vector<RecodedImage> outputs(1);
  const PixelBuffer array = ArrayOf({100, 3}, 3);
  const RecodeResult result =
      recoder.RecodeArray(array.view(), outputs, {.max_pixels = 2699});
  CHECK_FALSE(result.made);
  CHECK(result.verdict.reason == "too-large");
  CHECK(outputs[0].bytes.size() == 0);
  CHECK(recoder.RecodeArray(array.view(), outputs, {.max_pixels = 2700}).made);
  CHECK(outputs[0].size == PixelSize{300, 9});
}

}  // namespace
}  // namespace shardine::recode_array_test
