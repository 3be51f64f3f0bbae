#include "load/record_draws.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "load/operation_check.h"

namespace shardine::record_draws_test {
namespace {

constexpr std::uint64_t kSamples = 80'000;

template <typename F>
void ForSamples(F use) {
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    const SampleDraws draws(7, id, 3);
    use(OperationDraws(draws, 2));
  }
}

struct Moments {
  double mean;
  double deviation;
};

Moments MomentsOf(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

TEST_CASE("DrawFloat is below one and has 24 bits", "[record_draws]") {
  const auto float_of = [](std::uint32_t word) {
    return DrawFloat(Draw({word, 0, 0, 0}), 0);
  };
  CHECK(float_of(0xffffffff) == 1 - 0x1p-24f);
  CHECK(float_of(0x1ff) == 0x1p-24f);
  CHECK(float_of(0xff) == 0);
}

TEST_CASE("ImageRecordJitter's factors are uniform and its 6 orders even",
          "[record_draws]") {
  const ImageRecordJitter jitter{
      .brightness = {0.6, 1.4}, .contrast = {0.2, 0.4}, .saturation = {-1, 3}};
  std::map<std::vector<int>, double> orders;
  std::map<int, std::vector<double>> factors;
  ForSamples([&](const OperationDraws& draws) {
    const RecordColors drawn = DrawRecordColors(jitter, draws);
    REQUIRE(drawn.count == 3);
    std::vector<int> order;
    for (const auto& [kind, factor] : drawn.colors) {
      order.push_back(static_cast<int>(kind));
      factors[order.back()].push_back(factor);
    }
    orders[order] += 1.0 / kSamples;
  });
  REQUIRE(orders.size() == 6);
  for (const auto& [order, share] : orders) {
    CHECK(std::abs(share - 1.0 / 6) < 4 * std::sqrt(5.0 / 36 / kSamples));
  }
  const double ends[3][2] = {{0.6, 1.4}, {0.2, 0.4}, {-1, 3}};
  for (const auto& [kind, values] : factors) {
    const auto [low, high] = ends[kind];
    const auto [mean, deviation] = MomentsOf(values);
    CHECK(std::abs(mean - (low + high) / 2) < (high - low) * 0.005);
    CHECK(std::abs(deviation - (high - low) / std::sqrt(12)) <
          (high - low) * 0.005);
    REQUIRE(*std::ranges::min_element(values) >= low - 1e-6);
    REQUIRE(*std::ranges::max_element(values) <= high);
  }
}

TEST_CASE("What of ImageRecordJitter changes nothing is left out",
          "[record_draws]") {
  const SampleDraws draws(7, 5, 3);
  const OperationDraws own(draws, 0);
  CHECK(DrawRecordColors({}, own).count == 0);
  const RecordColors drawn = DrawRecordColors({.contrast = {2, 2}}, own);
  REQUIRE(drawn.count == 1);
  CHECK(drawn.colors[0].kind == RecordColor::Kind::kContrast);
  CHECK(drawn.colors[0].factor == 2);
}

TEST_CASE("DrawHls prefers small shifts, as MXNet does", "[record_draws]") {
  std::vector<double> hues;
  std::vector<double> lights;
  ForSamples([&](const OperationDraws& draws) {
    const HlsShift shift =
        DrawHls({.h = {-90, 90}, .s = {5, 5}, .l = {10, 110}}, draws);
    REQUIRE(std::abs(shift.h) <= 90);
    REQUIRE(shift.s == 5);
    REQUIRE(shift.l >= 10);
    REQUIRE(shift.l < 110);
    hues.push_back(shift.h);
    lights.push_back(shift.l);
  });
  // The draws are (u + 4 v) / 5, of which the deviation is sqrt(17 / 300).
  const double deviation = std::sqrt(17.0 / 300);
  const Moments hue = MomentsOf(hues);
  CHECK(std::abs(hue.mean) < 1);
  CHECK(std::abs(hue.deviation - 180 * deviation) < 0.5);
  const Moments light = MomentsOf(lights);
  CHECK(std::abs(light.mean - 59.5) < 0.5);
  CHECK(std::abs(light.deviation - 100 * deviation) < 0.3);
}

TEST_CASE("PcaNoise is normal along AlexNet's vectors", "[record_draws]") {
  std::vector<double> reds;
  std::vector<double> blues;
  ForSamples([&](const OperationDraws& draws) {
    const auto color = DrawPcaNoise({.deviation = 0.5}, draws);
    reds.push_back(color[0]);
    blues.push_back(color[2]);
  });
  const auto norm = [](double a, double b, double c) {
    return 0.5 * std::sqrt(a * a + b * b + c * c);
  };
  const Moments red = MomentsOf(reds);
  const Moments blue = MomentsOf(blues);
  CHECK(std::abs(red.mean) < 0.25);
  CHECK(red.deviation ==
        Approx(norm(55.46 * 0.5675, 4.794 * 0.7192, 1.148 * 0.4009))
            .epsilon(0.01));
  CHECK(blue.deviation ==
        Approx(norm(55.46 * 0.5836, 4.794 * 0.6948, 1.148 * 0.4203))
            .epsilon(0.01));
}

TEST_CASE("Contrast and illumination lie around what scale says",
          "[record_draws]") {
  const ImageRecordNormalize normalize{
      .scale = 0.5f, .max_contrast = 0.4f, .max_illumination = 30};
  std::vector<double> contrasts;
  std::vector<double> lights;
  ForSamples([&](const OperationDraws& draws) {
    const RecordScale scale = DrawRecordScale(normalize, draws);
    REQUIRE(std::abs(scale.contrast - 0.5) < 0.2001);
    REQUIRE(std::abs(scale.illumination) <= 15);
    contrasts.push_back(scale.contrast);
    lights.push_back(scale.illumination);
  });
  CHECK(std::abs(MomentsOf(contrasts).mean - 0.5) < 0.002);
  CHECK(MomentsOf(contrasts).deviation ==
        Approx(0.4 / std::sqrt(12)).epsilon(0.01));
  CHECK(std::abs(MomentsOf(lights).mean) < 0.15);
  CHECK(MomentsOf(lights).deviation ==
        Approx(30 / std::sqrt(12)).epsilon(0.01));
}

TEST_CASE("CheckOperation names what ImageRecordIter's operations cannot do",
          "[record_draws]") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<PixelOperation, std::string>> refused = {
      {ImageRecordJitter{.brightness = {kNaN, 1}},
       "brightness of ImageRecordJitter must be -1e6 to 1e6, ascending"},
      {ImageRecordJitter{.contrast = {2, 1}},
       "contrast of ImageRecordJitter must be -1e6 to 1e6, ascending"},
      {ImageRecordJitter{.saturation = {1, 1e7}},
       "saturation of ImageRecordJitter must be -1e6 to 1e6, ascending"},
      {RandomHls{.h = {1, 0}},
       "h of RandomHls must be -65535 to 65535, ascending"},
      {RandomHls{.s = {0, 65'536}},
       "s of RandomHls must be -65535 to 65535, ascending"},
      {RandomHls{.l = {-65'536, 0}},
       "l of RandomHls must be -65535 to 65535, ascending"},
      {PcaNoise{.deviation = -0.1}, "deviation of PcaNoise must be 0 to 100"},
      {ImageRecordNormalize{.mean = {0, kInfinite, 0}},
       "mean of ImageRecordNormalize must be finite"},
      {ImageRecordNormalize{.std = {1, 0, 1}},
       "std of ImageRecordNormalize must be finite and not 0"},
      {ImageRecordNormalize{.scale = kInfinite},
       "scale of ImageRecordNormalize must be finite"},
      {ImageRecordNormalize{.max_contrast = kInfinite},
       "max_contrast of ImageRecordNormalize must be finite"},
      {ImageRecordNormalize{.max_illumination = kInfinite},
       "max_illumination of ImageRecordNormalize must be finite"}};
  for (const auto& [operation, message] : refused) {
    CHECK(CheckOperation(operation).message() == "transform: " + message);
  }
  CHECK(CheckOperation(ImageRecordJitter{.brightness = {-1, 3}}).ok());
  CHECK(CheckOperation(RandomHls{.h = {-180, 180}}).ok());
  CHECK(CheckOperation(ImageRecordNormalize{}).ok());
}

}  // namespace
}  // namespace shardine::record_draws_test
