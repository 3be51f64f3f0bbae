// Arrays of pixels against PNGs of the same pixels, which ImageDecoder reads.
#include "image/array_resampler.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "image/png_encode.h"
#include "support/draws.h"
#include "support/picture_maker.h"

namespace shardine::array_resampler_test {
namespace {

// Rows of `channels` with gaps between them: the first channels of a picture,
// and noise as a fourth.
struct Array {
  Array(const PixelBuffer& picture, std::uint8_t channels)
      : stride(picture.stride() / 3 * channels + 5),
        bytes(stride * picture.size().height, 0xAA) {
    for (std::uint32_t y = 0; y < picture.size().height; ++y) {
      for (std::uint32_t x = 0; x < picture.size().width; ++x) {
        const std::uint8_t* const from = picture.view().row(y) + 3 * x;
        for (std::uint8_t c = 0; c < channels; ++c) {
          bytes[y * stride + x * channels + c] =
              c < 3 ? from[c] : static_cast<std::uint8_t>(37 * x + y);
        }
      }
    }
    view = {bytes.data(), picture.size(), channels, stride};
  }

  std::size_t stride;
  std::vector<std::uint8_t> bytes;
  PixelView view;
};

std::string PngOf(const PixelView& pixels) {
  ByteBuffer png;
  REQUIRE(EncodePng(pixels, {}, png).ok());
  return std::string(AsText(png.view()));
}

ResampleTarget DrawTarget(Draws& draws) {
  ResampleTarget target;
  const auto side = [&](std::uint32_t most) {
    return 1 + static_cast<std::uint32_t>(draws.Below(most));
  };
  target.size = {side(40), side(40)};
  target.filter = draws.Coin() ? Filter::kBilinear : Filter::kLanczos;
  target.flip = draws.Coin();
  if (draws.Coin()) {
    target.part.width = side(target.size.width);
    target.part.height = side(target.size.height);
    target.part.x = side(target.size.width - target.part.width + 1) - 1;
    target.part.y = side(target.size.height - target.part.height + 1) - 1;
  }
  return target;
}

TEST_CASE("ArrayResampler makes the pixels that a PNG of the array gives",
          "[array_resampler]") {
  Draws draws(1);
  ArrayResampler resampler;
  ImageDecoder decoder;
  for (std::uint8_t i = 0; i < 60; ++i) {
    // Some so wide that no two rows are converted at a time.
    const auto width =
        static_cast<std::uint32_t>(1 + draws.Below(i % 6 == 0 ? 9000 : 90));
    const auto height = static_cast<std::uint32_t>(1 + draws.Below(70));
    const PixelBuffer picture = MakePicture({width, height}, 3, i + 1u);
    const std::uint8_t channels = std::vector<std::uint8_t>{1, 3, 4}[i % 3];
    const Array array(picture, channels);
    CAPTURE(int{i}, width, height, int{channels});
    const std::string png = PngOf(channels == 1 ? array.view : picture.view());
    REQUIRE(decoder.Open(AsBytes(png), {.color = ColorMode::kColor}).ok());
    Region region{static_cast<std::uint32_t>(draws.Below(width)),
                  static_cast<std::uint32_t>(draws.Below(height)), 0, 0};
    region.width =
        1 + static_cast<std::uint32_t>(draws.Below(width - region.x));
    region.height =
        1 + static_cast<std::uint32_t>(draws.Below(height - region.y));
    const ResampleTarget target = DrawTarget(draws);
    const PixelSize made =
        target.part.width > 0 ? PixelSize{target.part.width, target.part.height}
                              : target.size;
    const std::size_t stride = std::size_t{made.width} * 3 + 2;
    std::vector<std::uint8_t> expected(stride * made.height, 9);
    std::vector<std::uint8_t> got(expected);
    REQUIRE(decoder.Resample(region, target, expected.data(), stride).ok());
    REQUIRE(resampler.Resample(array.view, region, target, got.data(), stride)
                .ok());
    CHECK(got == expected);
  }
}

TEST_CASE("ArrayResampler refuses a region that is not in the array",
          "[array_resampler]") {
  const PixelBuffer picture = MakePicture({8, 6}, 1);
  ArrayResampler resampler;
  std::uint8_t out[3] = {};
  for (const Region& region :
       {Region{0, 0, 9, 6}, Region{0, 0, 8, 7}, Region{8, 0, 1, 1},
        Region{0, 0, 0, 1}, Region{4, 4, 0xFFFFFFFF, 1}}) {
    const Status status =
        resampler.Resample(picture.view(), region, {.size = {1, 1}}, out, 3);
    CHECK(status.code() == Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace shardine::array_resampler_test
