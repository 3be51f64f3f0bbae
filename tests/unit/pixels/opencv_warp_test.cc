#include "pixels/opencv_warp.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "pixels/opencv_warp_weights.h"
#include "unit/pixels/drawn_pixels.h"

namespace shardine::opencv_warp_test {
namespace {

constexpr OpenCvMatrix kIdentity = {1, 0, 0, 0, 1, 0};
constexpr OpenCvMatrix kSlanted = {0.9f, 0.31f, -2.5f, -0.22f, 1.1f, 4.75f};
constexpr OpenCvFilter kFilters[] = {
    OpenCvFilter::kNearest, OpenCvFilter::kLinear, OpenCvFilter::kCubic,
    OpenCvFilter::kArea, OpenCvFilter::kLanczos4};
constexpr std::uint8_t kFill = 77;

PixelView ViewOf(const DrawnPixels& image) {
  return {image.bytes.data(), image.size, 3, std::size_t{image.size.width} * 3};
}

DrawnPixels Warped(const DrawnPixels& image, const OpenCvMatrix& matrix,
                   OpenCvFilter filter, const Region& part) {
  DrawnPixels out({part.width, part.height});
  OpenCvWarp(ViewOf(image), matrix, filter, kFill, part, out.bytes.data(),
             std::size_t{part.width} * 3);
  return out;
}

TEST_CASE("OpenCvWarp by the identity changes no pixel", "[opencv_warp]") {
  for (const PixelSize size :
       {PixelSize{1, 1}, PixelSize{31, 9}, PixelSize{2, 130}}) {
    const DrawnPixels before(size);
    for (const OpenCvFilter filter : kFilters) {
      CHECK(Warped(before, kIdentity, filter, {0, 0, size.width, size.height})
                .bytes == before.bytes);
    }
  }
}

TEST_CASE("Beyond the source OpenCvWarp fills", "[opencv_warp]") {
  const DrawnPixels before({12, 7});
  for (const OpenCvFilter filter : kFilters) {
    const DrawnPixels after =
        Warped(before, {1, 0, 3, 0, 1, -2}, filter, {0, 0, 20, 7});
    for (std::uint32_t y = 0; y < 7; ++y) {
      for (std::uint32_t x = 0; x < 20; ++x) {
        const bool inside = x >= 3 && x < 15 && y + 2 < 7;
        for (std::size_t c = 0; c < 3; ++c) {
          REQUIRE(after.at(x, y, c) ==
                  (inside ? before.at(x - 3, y + 2, c) : kFill));
        }
      }
    }
  }
}

TEST_CASE("A part of what OpenCvWarp makes is as in the whole",
          "[opencv_warp]") {
  const DrawnPixels before({40, 33});
  for (const OpenCvFilter filter : kFilters) {
    const DrawnPixels whole = Warped(before, kSlanted, filter, {0, 0, 60, 50});
    const DrawnPixels part = Warped(before, kSlanted, filter, {7, 11, 30, 20});
    for (std::uint32_t y = 0; y < 20; ++y) {
      for (std::uint32_t x = 0; x < 30; ++x) {
        REQUIRE(part.at(x, y, 1) == whole.at(x + 7, y + 11, 1));
      }
    }
  }
}

TEST_CASE("Between black and white OpenCvWarp has 32 steps", "[opencv_warp]") {
  DrawnPixels edge({2, 1});
  edge.bytes = {0, 0, 0, 255, 255, 255};
  for (int place = 0; place < 32; ++place) {
    const float away = static_cast<float>(place) / 32;
    const DrawnPixels after = Warped(edge, {1, 0, -away, 0, 1, 0},
                                     OpenCvFilter::kLinear, {0, 0, 1, 1});
    CHECK(after.at(0, 0, 0) == (255 * place + 16) / 32);
  }
}

TEST_CASE("A matrix without an inverse takes one pixel of the source",
          "[opencv_warp]") {
  const DrawnPixels before({5, 5});
  const DrawnPixels after =
      Warped(before, {0, 0, 3, 0, 0, 3}, OpenCvFilter::kLinear, {0, 0, 4, 4});
  CHECK(after.at(3, 2, 0) == before.at(0, 0, 0));
}

TEST_CASE("Places that 32 bits cannot hold are beyond the source",
          "[opencv_warp]") {
  const DrawnPixels before({5, 5});
  for (const OpenCvFilter filter : kFilters) {
    const DrawnPixels after =
        Warped(before, {1e-9f, 0, 1e9f, 0, 1e-9f, 1e9f}, filter, {0, 0, 3, 3});
    CHECK(after.bytes == std::vector<std::uint8_t>(27, kFill));
  }
}

TEST_CASE("Weights of each place add up to one", "[opencv_warp]") {
  for (const OpenCvFilter filter :
       {OpenCvFilter::kLinear, OpenCvFilter::kCubic, OpenCvFilter::kLanczos4}) {
    const OpenCvWarpWeights& weights = OpenCvWarpWeights::For(filter);
    const std::size_t count = std::size_t{weights.taps()} * weights.taps();
    for (std::uint32_t y = 0; y < 32; ++y) {
      for (std::uint32_t x = 0; x < 32; ++x) {
        const std::int16_t* const at = weights.At(x, y);
        REQUIRE(std::accumulate(at, at + count, 0) == 1 << 15);
      }
    }
  }
}

TEST_CASE("One has no room in 16 bits, and what is left goes to the last",
          "[opencv_warp]") {
  const std::int16_t* const at =
      OpenCvWarpWeights::For(OpenCvFilter::kLinear).At(0, 0);
  CHECK(std::vector<int>(at, at + 4) == std::vector<int>{32767, 0, 0, 1});
}

}  // namespace
}  // namespace shardine::opencv_warp_test
