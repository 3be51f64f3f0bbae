#include "pixels/color_adjuster.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "unit/pixels/drawn_pixels.h"

namespace shardine::color_adjuster_test {
namespace {

using Kind = ColorAdjustment::Kind;
using Color = std::array<double, 3>;

double Gray(const Color& color) {
  return std::floor((2989 * color[0] + 5870 * color[1] + 1140 * color[2]) /
                    10'000);
}

// HSV by the six cases of a textbook, in doubles.
Color Turned(const Color& color, double turn) {
  const double most = std::max({color[0], color[1], color[2]}) / 255;
  const double least = std::min({color[0], color[1], color[2]}) / 255;
  const double range = (most - least) * 255;
  double hue = 0;
  if (range > 0) {
    if (most * 255 == color[0]) {
      hue = std::fmod((color[1] - color[2]) / range + 6, 6);
    } else if (most * 255 == color[1]) {
      hue = (color[2] - color[0]) / range + 2;
    } else {
      hue = (color[0] - color[1]) / range + 4;
    }
  }
  hue = std::fmod(hue + 6 * turn + 6, 6);
  const double saturation = most > 0 ? (most - least) / most : 0;
  const double part = hue - std::floor(hue);
  const double p = most * (1 - saturation);
  const double q = most * (1 - part * saturation);
  const double t = most * (1 - (1 - part) * saturation);
  const std::array<Color, 6> sixths = {Color{most, t, p}, {q, most, p},
                                       {p, most, t},      {p, q, most},
                                       {t, p, most},      {most, p, q}};
  Color out = sixths[static_cast<std::size_t>(hue) % 6];
  for (double& value : out) value *= 255.999;
  return out;
}

Color Expected(const ColorAdjustment& adjustment, const Color& color,
               double mean) {
  const double factor = adjustment.factor;
  Color out = color;
  if (adjustment.kind == Kind::kHue) out = Turned(color, factor);
  for (double& value : out) {
    if (adjustment.kind == Kind::kBrightness) value *= factor;
    if (adjustment.kind == Kind::kContrast)
      value = value * factor + mean * (1 - factor);
    if (adjustment.kind == Kind::kSaturation)
      value = value * factor + Gray(color) * (1 - factor);
    if (adjustment.kind == Kind::kGray) value = Gray(color);
    value = std::floor(std::clamp(value, 0.0, 255.0));
  }
  return out;
}

// How many values are a level off; the test fails where one is more.
int CountOff(const ColorAdjustment& adjustment, DrawnPixels image) {
  const DrawnPixels before = image;
  double mean = 0;
  const std::size_t count = image.view().count();
  const auto color = [&](std::size_t i) {
    return Color{static_cast<double>(before.bytes[3 * i]),
                 static_cast<double>(before.bytes[3 * i + 1]),
                 static_cast<double>(before.bytes[3 * i + 2])};
  };
  for (std::size_t i = 0; i < count; ++i) mean += Gray(color(i));
  mean /= static_cast<double>(count);
  AdjustColors(image.view(), {&adjustment, 1});
  int off = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Color expected = Expected(adjustment, color(i), mean);
    for (std::size_t c = 0; c < 3; ++c) {
      const int away =
          std::abs(image.bytes[3 * i + c] - static_cast<int>(expected[c]));
      REQUIRE(away <= 1);
      off += away;
    }
  }
  return off;
}

TEST_CASE("AdjustColors is the formula in doubles, but for rounding",
          "[color_adjuster]") {
  for (const Kind kind : {Kind::kBrightness, Kind::kContrast, Kind::kSaturation,
                          Kind::kHue, Kind::kGray}) {
    for (const double factor : {0.0, 0.03, 0.4, 0.5, 1.0, 1.37, 2.0, 40.0}) {
      const double used = kind == Kind::kHue ? std::fmod(factor, 0.5) : factor;
      CAPTURE(static_cast<int>(kind), used);
      const int off = CountOff({kind, used}, DrawnPixels({97, 61}));
      // A tie of the formula that a float misses: seldom.
      CHECK(off < 97 * 61 * 3 / 100);
    }
  }
  CHECK(CountOff({Kind::kHue, -0.5}, DrawnPixels({50, 50})) < 200);
  CHECK(CountOff({Kind::kHue, -0.013}, DrawnPixels({50, 50})) < 200);
}

TEST_CASE("AdjustColors turns pure colors by thirds into each other",
          "[color_adjuster]") {
  DrawnPixels image({3, 1});
  image.bytes = {255, 0, 0, 0, 255, 0, 77, 77, 77};
  const ColorAdjustment turn{Kind::kHue, 1.0 / 3};
  AdjustColors(image.view(), {&turn, 1});
  CHECK(image.bytes ==
        std::vector<std::uint8_t>{0, 255, 0, 0, 0, 255, 77, 77, 77});
}

TEST_CASE("AdjustColors in one call is what it is one by one",
          "[color_adjuster]") {
  std::vector<ColorAdjustment> steps = {
      {Kind::kContrast, 0.7},   {Kind::kHue, 0.09},
      {Kind::kBrightness, 1.3}, {Kind::kContrast, 1.6},
      {Kind::kSaturation, 0.2}, {Kind::kGray, 0}};
  // More than one pass holds.
  for (int i = 0; i < 12; ++i) {
    steps.insert(steps.begin() + 2, {Kind::kBrightness, 0.99});
  }
  do {
    DrawnPixels at_once({41, 23});
    DrawnPixels one_by_one = at_once;
    AdjustColors(at_once.view(), steps);
    for (const auto& step : steps) AdjustColors(one_by_one.view(), {&step, 1});
    REQUIRE(at_once == one_by_one);
    std::rotate(steps.begin(), steps.begin() + 1, steps.end());
  } while (steps.front().kind != Kind::kContrast);
}

TEST_CASE("AdjustColors gives the same bytes at each SimdLevel and length",
          "[color_adjuster]") {
  const std::vector<ColorAdjustment> steps = {{Kind::kBrightness, 1.2},
                                              {Kind::kContrast, 0.6},
                                              {Kind::kSaturation, 1.4},
                                              {Kind::kHue, -0.1}};
  for (const std::uint32_t width :
       {1U, 2U, 15U, 16U, 63U, 127U, 128U, 129U, 511U, 512U, 513U, 1600U}) {
    DrawnPixels first({width, 1}, width);
    const DrawnPixels before = first;
    REQUIRE(LimitSimd(SimdLevel::kPortable));
    AdjustColors(first.view(), steps);
    for (const SimdLevel level : kSimdLevels) {
      if (!LimitSimd(level)) continue;
      DrawnPixels image = before;
      AdjustColors(image.view(), steps);
      CHECK(image == first);
    }
  }
  UnlimitSimd();
}

// 16 of each channel's values, and one channel's 256, in all combinations.
DrawnPixels AllColors(std::size_t fine) {
  DrawnPixels image({256, 256});
  for (std::size_t i = 0; i < image.view().count(); ++i) {
    std::uint8_t* const pixel = image.bytes.data() + 3 * i;
    pixel[fine] = static_cast<std::uint8_t>(i);
    pixel[(fine + 1) % 3] = static_cast<std::uint8_t>(i / 256 % 16 * 17);
    pixel[(fine + 2) % 3] = static_cast<std::uint8_t>(i / 4096 * 17);
  }
  return image;
}

void CheckEachLevel(const ColorAdjustment& adjustment,
                    const DrawnPixels& before) {
  CAPTURE(static_cast<int>(adjustment.kind), adjustment.factor);
  DrawnPixels first = before;
  REQUIRE(LimitSimd(SimdLevel::kPortable));
  AdjustColors(first.view(), {&adjustment, 1});
  for (const SimdLevel level : kSimdLevels) {
    if (!LimitSimd(level)) continue;
    DrawnPixels image = before;
    AdjustColors(image.view(), {&adjustment, 1});
    CHECK(image == first);
  }
  UnlimitSimd();
}

TEST_CASE("AdjustColors does all colors alike at each SimdLevel",
          "[color_adjuster]") {
  for (std::size_t fine = 0; fine < 3; ++fine) {
    const DrawnPixels colors = AllColors(fine);
    for (const Kind kind :
         {Kind::kBrightness, Kind::kContrast, Kind::kSaturation}) {
      for (const double factor : {0.0, 0.1, 0.999, 1.0, 1.7, 300.0, 1e6}) {
        CheckEachLevel({kind, factor}, colors);
      }
    }
    for (const double turn : {-0.5, -1.0 / 3, -1e-7, 0.0, 1e-9, 0.1, 0.5}) {
      CheckEachLevel({Kind::kHue, turn}, colors);
    }
    CheckEachLevel({Kind::kGray, 0}, colors);
  }
}

}  // namespace
}  // namespace shardine::color_adjuster_test
