#include "pixels/record_normalizer.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "pixels/half_float.h"
#include "unit/pixels/drawn_pixels.h"

namespace shardine::record_normalizer_test {
namespace {

const PixelFormat kPlanes{.layout = PixelLayout::kNchw,
                          .type = PixelType::kFloat32};

template <typename T>
std::vector<T> Normalized(const DrawnPixels& image, const PixelFormat& format,
                          const ImageRecordNormalize& normalize,
                          const RecordScale& scale) {
  std::vector<T> out(image.bytes.size());
  RecordNormalizer(format, normalize)(
      {image.bytes.data(), image.size, 3, std::size_t{image.size.width} * 3},
      scale, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

TEST_CASE("RecordNormalizer subtracts, multiplies, then adds",
          "[record_normalizer]") {
  const DrawnPixels image({7, 5});
  const ImageRecordNormalize normalize{.mean = {10, 20.5f, 128},
                                       .std = {1, 3, 57.4f}};
  const RecordScale scale{.contrast = 0.7f, .illumination = -11.3f};
  const auto planes = Normalized<float>(image, kPlanes, normalize, scale);
  PixelFormat pixels = kPlanes;
  pixels.layout = PixelLayout::kNhwc;
  const auto rows = Normalized<float>(image, pixels, normalize, scale);
  pixels.type = PixelType::kFloat16;
  const auto halves =
      Normalized<std::uint16_t>(image, pixels, normalize, scale);
  for (std::size_t i = 0; i < 35; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const float factor = scale.contrast / normalize.std[c];
      const float shift = scale.illumination / normalize.std[c];
      const float less =
          static_cast<float>(image.bytes[3 * i + c]) - normalize.mean[c];
      const float product = less * factor;
      REQUIRE(planes[35 * c + i] == product + shift);
      REQUIRE(rows[3 * i + c] == planes[35 * c + i]);
      REQUIRE(halves[3 * i + c] == HalfBits(rows[3 * i + c]));
    }
  }
}

TEST_CASE("A mean image is flipped with the image", "[record_normalizer]") {
  const PixelSize size{4, 3};
  DrawnPixels image(size);
  std::vector<float> means(36);
  std::iota(means.begin(), means.end(), 0.0f);
  const ImageRecordNormalize normalize{
      .mean_image = std::make_shared<const std::vector<float>>(means)};
  const bool both[] = {false, true};
  for (const bool flipped : both) {
    for (const bool upside_down : both) {
      const auto made =
          Normalized<float>(image, kPlanes, normalize,
                            {.flipped = flipped, .upside_down = upside_down});
      for (std::uint32_t y = 0; y < 3; ++y) {
        for (std::uint32_t x = 0; x < 4; ++x) {
          const std::size_t from =
              (upside_down ? 2 - y : y) * 4 + (flipped ? 3 - x : x);
          REQUIRE(made[12 + 4 * y + x] ==
                  static_cast<float>(image.at(x, y, 1)) - means[12 + from]);
        }
      }
    }
  }
}

TEST_CASE("CheckRecordNormalize says what cannot be meant",
          "[record_normalizer]") {
  const PixelSize size{4, 3};
  const auto message = [&](const PixelFormat& format,
                           const ImageRecordNormalize& normalize) {
    return CheckRecordNormalize(format, normalize, size).message();
  };
  CHECK(CheckRecordNormalize(kPlanes, {}, size).ok());
  CHECK_THAT(message({}, {}), Catch::Contains("bytes stay as they are"));
  CHECK_THAT(message(kPlanes, {.mean = {0.485f, 0.456f, 0.406f}}),
             Catch::Contains("times 255"));
  const ImageRecordNormalize other{
      .mean_image = std::make_shared<const std::vector<float>>(35)};
  CHECK_THAT(message(kPlanes, other),
             Catch::Contains("35 values; images of 3 x 3 x 4 need 36"));
}

}  // namespace
}  // namespace shardine::record_normalizer_test
