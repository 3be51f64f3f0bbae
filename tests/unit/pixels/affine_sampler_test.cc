#include "pixels/affine_sampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "unit/pixels/drawn_pixels.h"

namespace shardine {
namespace {

constexpr AffineMatrix kIdentity = {1, 0, 0, 0, 1, 0};
const OutsideColor kFill = std::array<std::uint8_t, 3>{7, 8, 9};

void Sample(DrawnPixels& image, const AffineMatrix& matrix,
            Interpolation interpolation, const OutsideColor& outside = kFill) {
  AffineSampler()(image.view(), matrix, interpolation, outside);
}

TEST_CASE("The identity changes no pixel", "[affine_sampler]") {
  for (const PixelSize size : {PixelSize{1, 1}, PixelSize{31, 9},
                               PixelSize{2, 130}, PixelSize{224, 224}}) {
    const DrawnPixels before(size);
    for (const auto kind :
         {Interpolation::kNearest, Interpolation::kBilinear}) {
      DrawnPixels image = before;
      Sample(image, kIdentity, kind);
      if (kind == Interpolation::kNearest) {
        CHECK(image == before);
        continue;
      }
      // A place is a float, a little beside the pixel's centre.
      for (std::size_t i = 0; i < image.bytes.size(); ++i) {
        REQUIRE(std::abs(image.bytes[i] - before.bytes[i]) <= 1);
      }
    }
  }
}

TEST_CASE("Whole pixels to the side leave the rest to the color outside",
          "[affine_sampler]") {
  const DrawnPixels before({12, 7});
  DrawnPixels image = before;
  Sample(image, {1, 0, -3, 0, 1, 2}, Interpolation::kNearest);
  for (std::uint32_t y = 0; y < 7; ++y) {
    for (std::uint32_t x = 0; x < 12; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const bool inside = x >= 3 && y + 2 < 7;
        REQUIRE(image.at(x, y, c) ==
                (inside ? before.at(x - 3, y + 2, c) : (*kFill)[c]));
      }
    }
  }
}

TEST_CASE("A quarter turn of a square turns it", "[affine_sampler]") {
  const DrawnPixels before({16, 16});
  DrawnPixels image = before;
  Sample(image, {6e-17, 1, 0, -1, 6e-17, 0}, Interpolation::kNearest);
  for (std::uint32_t y = 0; y < 16; ++y) {
    for (std::uint32_t x = 0; x < 16; ++x) {
      REQUIRE(image.at(x, y, 0) == before.at(y, 15 - x, 0));
    }
  }
}

TEST_CASE("Bilinear pixels are between four, and the border is shared",
          "[affine_sampler]") {
  DrawnPixels image({2, 1});
  image.bytes = {0, 100, 200, 100, 200, 0};
  const DrawnPixels before = image;
  // A quarter of a pixel to the right of where they are.
  Sample(image, {1, 0, 0.25, 0, 1, 0}, Interpolation::kBilinear);
  CHECK(image.bytes[0] == 25);
  CHECK(image.bytes[1] == 125);
  CHECK(image.bytes[2] == 150);
  // 0.75 inside: (75 - 7) 0.75 + 7; 114.5 becomes even.
  CHECK(image.bytes[3] == 58);
  CHECK(image.bytes[4] == 114);
  CHECK(image.bytes[5] == 2);
  image = before;
  Sample(image, {1, 0, 0.25, 0, 1, 0}, Interpolation::kBilinear, {});
  CHECK(image.bytes[3] == 75);
  CHECK(image.bytes[4] == 150);
  CHECK(image.bytes[5] == 0);
}

TEST_CASE("However far away, all is the color outside", "[affine_sampler]") {
  for (const auto kind : {Interpolation::kNearest, Interpolation::kBilinear}) {
    for (const double far : {1e3, -1e3, 2e12, -2e12}) {
      DrawnPixels image({9, 5});
      Sample(image, {1, 0, far, 0, 1, -far}, kind);
      for (std::size_t i = 0; i < image.bytes.size(); ++i) {
        REQUIRE(image.bytes[i] == (*kFill)[i % 3]);
      }
    }
  }
}

TEST_CASE("White stays white inside", "[affine_sampler]") {
  DrawnPixels image({40, 40});
  std::fill(image.bytes.begin(), image.bytes.end(), std::uint8_t{255});
  Sample(image, {0.5, 0.3, 0.1, -0.3, 0.5, 0.2}, Interpolation::kBilinear);
  CHECK(std::all_of(image.bytes.begin(), image.bytes.end(),
                    [](std::uint8_t byte) { return byte == 255; }));
}

}  // namespace
}  // namespace shardine
