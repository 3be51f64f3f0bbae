#include "pixels/affine_sampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "unit/pixels/drawn_pixels.h"

namespace shardine::affine_sampler_test {
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

// Each level makes the same of it as plain loops do, beyond the row's and the
// image's end, too.
void CheckEachLevel(const DrawnPixels& before, const AffineMatrix& matrix,
                    Interpolation kind, const OutsideColor& outside) {
  CAPTURE(before.size.width, before.size.height, matrix[0], matrix[1],
          matrix[2], static_cast<int>(kind), outside.has_value());
  DrawnPixels first = before;
  REQUIRE(LimitSimd(SimdLevel::kPortable));
  Sample(first, matrix, kind, outside);
  for (const SimdLevel level : kSimdLevels) {
    if (!LimitSimd(level)) continue;
    DrawnPixels image = before;
    image.bytes.resize(before.bytes.size() + 64, 99);
    Sample(image, matrix, kind, outside);
    CHECK(std::equal(first.bytes.begin(), first.bytes.end(),
                     image.bytes.begin()));
    CHECK(std::all_of(image.bytes.end() - 64, image.bytes.end(),
                      [](std::uint8_t byte) { return byte == 99; }));
  }
  UnlimitSimd();
}

TEST_CASE("An affine image is the same at each SimdLevel", "[affine_sampler]") {
  const std::vector<AffineMatrix> matrices = {
      kIdentity,
      {1, 0, 0.5, 0, 1, -0.5},
      {1, 0, 3, 0, 1, -2},
      {0.8, 0.6, 0.25, -0.6, 0.8, 7.5},
      {1, 0.3, 0, 0, 1, 0},
      {1, 0, 0, -0.3, 1, 40},
      {1e-3, 0, 0, 0, 1e-3, 0},
      {1e3, 500, 0, -500, 1e3, 1},
      {-1, 1e-7, 1e12, 1e-7, -1, -1e12},
      {3e38, -3e38, 3e38, -3e38, 3e38, -3e38}};
  const std::vector<PixelSize> sizes = {
      {1, 1},  {2, 3},    {7, 5},   {15, 4},  {16, 9},   {17, 3},
      {63, 6}, {64, 5},   {65, 2},  {67, 3},  {68, 3},   {69, 3},
      {1, 90}, {224, 31}, {255, 8}, {300, 7}, {1000, 2}, {3, 1000}};
  for (const PixelSize size : sizes) {
    const DrawnPixels image(size, size.width);
    for (const AffineMatrix& matrix : matrices) {
      for (const OutsideColor& outside :
           {kFill, OutsideColor(), OutsideColor({255, 0, 128})}) {
        CheckEachLevel(image, matrix, Interpolation::kNearest, outside);
        CheckEachLevel(image, matrix, Interpolation::kBilinear, outside);
      }
    }
  }
}

TEST_CASE("Turned images of one value are the same at each SimdLevel",
          "[affine_sampler]") {
  for (const std::uint8_t value : std::vector<std::uint8_t>{0, 1, 254, 255}) {
    DrawnPixels image({129, 40});
    std::fill(image.bytes.begin(), image.bytes.end(), value);
    CheckEachLevel(image, {0.6, 0.8, 1.1, -0.8, 0.6, 0.3},
                   Interpolation::kBilinear, kFill);
    CheckEachLevel(image, {0.1, 0.02, 1.1, -0.03, 0.1, 0.3},
                   Interpolation::kBilinear, {});
  }
}

}  // namespace
}  // namespace shardine::affine_sampler_test
