#include "pixels/tone_tables.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "unit/pixels/drawn_pixels.h"

namespace shardine::tone_tables_test {
namespace {

// A row of pixels, all channels the same but for `other` in the second one.
DrawnPixels Row(const std::vector<std::uint8_t>& values, int other = -1) {
  DrawnPixels image({static_cast<std::uint32_t>(values.size()), 1});
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) image.bytes[3 * i + c] = values[i];
    if (other >= 0) image.bytes[3 * i + 1] = static_cast<std::uint8_t>(other);
  }
  return image;
}

TEST_CASE("Invert, Posterize and Solarize are what they are by bits",
          "[tone_tables]") {
  const DrawnPixels before({37, 11});
  DrawnPixels image = before;
  Invert(image.view());
  for (std::size_t i = 0; i < image.bytes.size(); ++i) {
    REQUIRE(image.bytes[i] == 255 - before.bytes[i]);
  }
  for (std::uint32_t bits = 0; bits <= 8; ++bits) {
    image = before;
    Posterize(image.view(), bits);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) {
      const int step = 1 << (8 - bits);
      REQUIRE(image.bytes[i] == before.bytes[i] / step * step);
    }
  }
  image = Row({0, 99, 100, 101, 255});
  Solarize(image.view(), 100.5);
  CHECK(image == Row({0, 99, 100, 154, 0}));
  Solarize(image.view(), 0);
  CHECK(image == Row({255, 156, 155, 101, 255}));
  Solarize(image.view(), 255);
  CHECK(image == Row({0, 156, 155, 101, 0}));
}

TEST_CASE("AutoContrast spreads each channel and leaves a constant one",
          "[tone_tables]") {
  DrawnPixels image = Row({50, 100, 150}, 77);
  AutoContrast(image.view());
  // 50 / (100 (1 / 255)) is 127.5 but for the float's last bit; so is 255.
  CHECK(image.at(0, 0, 0) == 0);
  CHECK(image.at(1, 0, 0) == 127);
  CHECK(image.at(2, 0, 0) >= 254);
  for (std::uint32_t x = 0; x < 3; ++x) CHECK(image.at(x, 0, 1) == 77);
  for (const std::uint8_t value : std::vector<std::uint8_t>{0, 1, 254, 255}) {
    DrawnPixels flat = Row({value, value});
    AutoContrast(flat.view());
    CHECK(flat == Row({value, value}));
  }
  DrawnPixels full = Row({0, 1, 254, 255});
  AutoContrast(full.view());
  CHECK(full == Row({0, 1, 254, 255}));
}

TEST_CASE("AutoContrast finds each channel's extremes wherever they are",
          "[tone_tables]") {
  for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 200U}) {
    for (std::size_t at = 0; at < 3 * count; ++at) {
      DrawnPixels image({static_cast<std::uint32_t>(count), 1});
      std::fill(image.bytes.begin(), image.bytes.end(), std::uint8_t{100});
      image.bytes[at] = at % 2 == 0 ? 40 : 140;
      AutoContrast(image.view());
      bool right = true;
      for (std::size_t i = 0; i < 3 * count; ++i) {
        // A channel of one pixel is constant.
        const bool spread = i % 3 == at % 3 && count > 1;
        const int low = at % 2 == 0 ? 255 : 0;
        const int value = image.bytes[i];
        right &= !spread   ? value == (i == at ? (at % 2 == 0 ? 40 : 140) : 100)
                 : i == at ? std::abs(value - (255 - low)) <= 1
                           : std::abs(value - low) <= 1;
      }
      REQUIRE(right);
    }
  }
}

TEST_CASE("Equalize follows Pillow's integers", "[tone_tables]") {
  // 1,030 pixels of 10, 500 of 20, 100 of 30: step (1030 + 500) / 255 = 6;
  // (0 + 3) / 6, (1030 + 3) / 6, (1530 + 3) / 6.
  std::vector<std::uint8_t> values(1030, 10);
  values.insert(values.end(), 500, 20);
  values.insert(values.end(), 100, 30);
  DrawnPixels image = Row(values, 9);
  Equalize(image.view());
  std::vector<std::uint8_t> expected(1030, 0);
  expected.insert(expected.end(), 500, 172);
  expected.insert(expected.end(), 100, 255);
  CHECK(image == Row(expected, 9));
  // Fewer than 255 pixels below the greatest value: as it was.
  DrawnPixels few = Row(std::vector<std::uint8_t>(254, 3));
  few.bytes[0] = 200;
  const DrawnPixels before = few;
  Equalize(few.view());
  CHECK(few == before);
}

TEST_CASE("AddColor rounds halves to even and stays within bytes",
          "[tone_tables]") {
  DrawnPixels image = Row({0, 1, 2, 3, 250, 255});
  AddColor(image.view(), {0.5, -1.5, 10});
  CHECK(image.bytes == std::vector<std::uint8_t>{0, 0, 10, 2, 0, 11, 2, 0, 12,
                                                 4, 2, 13, 250, 248, 255, 255,
                                                 254, 255});
}

}  // namespace
}  // namespace shardine::tone_tables_test
