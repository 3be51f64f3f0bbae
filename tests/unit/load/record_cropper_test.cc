#include "load/record_cropper.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace shardine::record_cropper_test {
namespace {

constexpr PixelSize kImage{60, 45};

std::uint8_t ValueAt(std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
  return static_cast<std::uint8_t>(x * 4 + y + channel * 3);
}

// The crop of an image of those values.
std::vector<std::uint8_t> Made(const ImageRecordCrop& crop,
                               std::uint64_t id = 1) {
  RecordCropper cropper(crop);
  const Result<Region> region = cropper.Plan(kImage, SampleDraws(3, id, 0));
  REQUIRE(region.ok());
  const RegionTarget target = cropper.Target();
  REQUIRE(target.region == *region);
  REQUIRE(target.target.size == PixelSize{region->width, region->height});
  for (std::uint32_t y = 0; y < region->height; ++y) {
    for (std::uint32_t x = 0; x < region->width; ++x) {
      for (std::uint32_t c = 0; c < 3; ++c) {
        target.out[target.stride * y + 3 * x + c] =
            ValueAt(region->x + x, region->y + y, c);
      }
    }
  }
  std::vector<std::uint8_t> out(std::size_t{crop.width} * crop.height * 3);
  cropper.Make({out.data(), {crop.width, crop.height}});
  return out;
}

ImageRecordCrop Sized(std::uint32_t width, std::uint32_t height) {
  ImageRecordCrop crop;
  crop.width = width;
  crop.height = height;
  return crop;
}

TEST_CASE("RecordCropper cuts the middle out", "[record_cropper]") {
  const auto made = Made(Sized(20, 10));
  for (std::uint32_t y = 0; y < 10; ++y) {
    for (std::uint32_t x = 0; x < 20; ++x) {
      REQUIRE(made[(y * 20 + x) * 3 + 1] == ValueAt(20 + x, 17 + y, 1));
    }
  }
}

TEST_CASE("A border has its color all around", "[record_cropper]") {
  ImageRecordCrop crop = Sized(64, 49);
  crop.pad = 2;
  crop.fill = 250;
  const auto made = Made(crop);
  for (std::uint32_t y = 0; y < 49; ++y) {
    for (std::uint32_t x = 0; x < 64; ++x) {
      const bool inside = x >= 2 && x < 62 && y >= 2 && y < 47;
      REQUIRE(made[(y * 64 + x) * 3] ==
              (inside ? ValueAt(x - 2, y - 2, 0) : 250));
    }
  }
}

TEST_CASE("A crop in the border alone is the border's color",
          "[record_cropper]") {
  ImageRecordCrop crop = Sized(3, 3);
  crop.pad = 500;
  crop.random_place = true;
  crop.fill = 9;
  std::size_t whole = 0;
  for (std::uint64_t id = 0; id < 50; ++id) {
    const auto made = Made(crop, id);
    whole += std::ranges::all_of(made, [](int v) { return v == 9; }) ? 1 : 0;
  }
  CHECK(whole >= 45);
}

TEST_CASE("A half turn turns, with and without what is cut away",
          "[record_cropper]") {
  ImageRecordCrop crop = Sized(60, 45);
  crop.angle = {180, 180};
  crop.interpolation = OpenCvInterpolation::kNearest;
  const auto whole = Made(crop);
  crop.width = 20;
  crop.height = 11;
  const auto part = Made(crop);
  for (std::uint32_t y = 0; y < 11; ++y) {
    for (std::uint32_t x = 0; x < 20; ++x) {
      const std::size_t there = (std::size_t{y + 17} * 60 + x + 20) * 3;
      REQUIRE(part[(y * 20 + x) * 3] == whole[there]);
      // ImageRecordIter's middle is half a pixel to the lower right.
      REQUIRE(whole[there] == ValueAt(60 - (x + 20), 45 - (y + 17), 0));
    }
  }
}

TEST_CASE("One cropper does one image after another", "[record_cropper]") {
  ImageRecordCrop crop = Sized(30, 30);
  crop.resize = 40;
  crop.angle = {-20, 20};
  crop.scale = {0.5, 1.5};
  crop.random_place = true;
  const auto first = Made(crop, 1);
  CHECK(first != Made(crop, 2));
  CHECK(first == Made(crop, 1));
}

}  // namespace
}  // namespace shardine::record_cropper_test
