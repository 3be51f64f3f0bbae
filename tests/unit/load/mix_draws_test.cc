#include "load/mix_draws.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

namespace shardine::mix_draws_test {
namespace {

constexpr std::uint64_t kSamples = 80'000;
constexpr PixelSize kImage{224, 160};

std::vector<double> Betas(double alpha) {
  std::vector<double> values;
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    values.push_back(DrawBeta(alpha, SampleDraws(11, id, 2)(5)));
  }
  return values;
}

std::vector<MixFactor> Factors(const MixOptions& mix,
                               PixelSize image = kImage) {
  std::vector<MixFactor> factors;
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    factors.push_back(DrawMix(mix, SampleDraws(11, id, 2), image));
  }
  return factors;
}

// The greatest distance between the samples' distribution and `share` of it
// below a value; above 1.95 / sqrt(n) once in a thousand times.
double Distance(std::vector<double> values,
                const std::function<double(double)>& share) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = static_cast<double>(i);
    const double below = share(values[i]);
    most = std::max({most, below - place / n, (place + 1) / n - below});
  }
  return most;
}
const double kFar = 1.95 / std::sqrt(static_cast<double>(kSamples));

// Beta(a, a) has the mean 1/2, the variance v = 1 / (4 (2a + 1)) and the fourth
// moment v^2 (3 - 6 / (2a + 3)) around its mean. A mean of n is off by
// sqrt(v / n), their variance by sqrt((m4 - v^2) / n); four times that is seen
// once in 16,000 times.
TEST_CASE("DrawBeta has the moments of its distribution, whatever alpha",
          "[mix_draws][one_thread]") {
  const auto n = static_cast<double>(kSamples);
  for (const double alpha :
       {0.001, 0.05, 0.1, 0.2, 0.4, 0.5, 0.8, 1.0, 1.7, 4.0, 32.0, 1000.0}) {
    CAPTURE(alpha);
    const std::vector<double> values = Betas(alpha);
    double mean = 0;
    for (const double value : values) {
      REQUIRE(value >= 0);
      REQUIRE(value <= 1);
      mean += value / n;
    }
    double variance = 0;
    for (const double value : values) {
      variance += (value - 0.5) * (value - 0.5) / n;
    }
    const double expected = 1 / (4 * (2 * alpha + 1));
    const double fourth = expected * expected * (3 - 6 / (2 * alpha + 3));
    CHECK(std::abs(mean - 0.5) < 4 * std::sqrt(expected / n));
    CHECK(std::abs(variance - expected) <
          4 * std::sqrt((fourth - expected * expected) / n) + 1e-9);
  }
}

TEST_CASE("DrawBeta has the distributions that have a formula",
          "[mix_draws][one_thread]") {
  CHECK(Distance(Betas(1), [](double x) { return x; }) < kFar);
  CHECK(Distance(Betas(0.5), [](double x) {
          return 2 / std::numbers::pi * std::asin(std::sqrt(x));
        }) < kFar);
  CHECK(Distance(Betas(2), [](double x) { return x * x * (3 - 2 * x); }) <
        kFar);
  CHECK(Distance(Betas(1.5), [](double x) {
          const double y = 2 * x - 1;
          return 0.5 +
                 (std::asin(y) + y * std::sqrt(1 - y * y)) / std::numbers::pi;
        }) < kFar);
  // Another alpha has another distribution.
  CHECK(Distance(Betas(1.1), [](double x) { return x; }) > kFar);
}

TEST_CASE("DrawBeta keeps its bits for ever, at the ends of words, too",
          "[mix_draws]") {
  const auto bits = [](double alpha, std::uint32_t first,
                       std::uint32_t second) {
    return std::bit_cast<std::uint64_t>(
        DrawBeta(alpha, Draw({first, second, 0, 0})));
  };
  CHECK(DrawBeta(0.001, Draw({0, 0, 0, 0})) == 1);
  CHECK(DrawBeta(0.001, Draw({0, 0x80000000, 0, 0})) == 0);
  CHECK(std::abs(DrawBeta(1, Draw({~0U, 0, 0, 0})) - 0.5) < 1e-5);
  CHECK(bits(1, 0x40000000, 0x12345678) == 0x3fed79a2ac090e84);
  CHECK(bits(0.2, 0xdeadbeef, 0x9abcdef0) == 0x3fc827fa1d9ed6ae);
  CHECK(bits(1000, 0x00000001, 0x70000000) == 0x3fdba777860a8a54);
  std::uint64_t sum = 0;
  for (std::uint64_t id = 0; id < 10'000; ++id) {
    const double alpha = 0.1 * static_cast<double>(1 + id % 40);
    sum = sum * 31 + std::bit_cast<std::uint64_t>(
                         DrawBeta(alpha, SampleDraws(1, id, 0)(0)));
  }
  CHECK(sum == 0xa12970eefe3d483c);
}

TEST_CASE("DrawMix has draws that no operation has", "[mix_draws]") {
  const SampleDraws draws(3, 4, 5);
  constexpr std::uint32_t kFirst = (1 << 24) - 256;
  const MixFactor factor = DrawMix({.choices = {MixUp{0.4}}}, draws, kImage);
  CHECK(factor.weight == static_cast<float>(DrawBeta(0.4, draws(kFirst + 1))));
  CHECK_FALSE(factor.is_cut());
  // Operation 65,533 is the last that a transform may have.
  CHECK(256 * (65'533 + 1) + 255 < kFirst);
}

TEST_CASE("DrawMix chooses as often as probabilities say", "[mix_draws]") {
  const MixOptions mix{.choices = {MixUp{1, 0.3}, CutMix{1, 0.5}}};
  std::array<double, 3> counts = {};
  double mean = 0;
  for (const MixFactor& factor : Factors(mix)) {
    const bool stays = factor == MixFactor();
    counts[stays ? 2 : factor.is_cut() ? 1 : 0] += 1;
    if (!stays && !factor.is_cut()) mean += factor.weight;
  }
  // Boxes at an edge, or tiny, may be empty: seldom.
  const auto n = static_cast<double>(kSamples);
  CHECK(std::abs(counts[0] - 0.3 * n) < 4 * std::sqrt(0.3 * 0.7 * n));
  CHECK(counts[1] < 0.5 * n + 4 * std::sqrt(0.25 * n));
  CHECK(counts[1] > 0.49 * n);
  // The choice says nothing of the weight.
  CHECK(std::abs(mean / counts[0] - 0.5) < 4 * std::sqrt(1 / 12.0 / counts[0]));
  for (const MixFactor& factor : Factors({.choices = {MixUp{1, 0}}})) {
    REQUIRE(factor == MixFactor());
  }
}

TEST_CASE("CutMix's box is torchvision's, of its middle and its ratio",
          "[mix_draws]") {
  const MixOptions mix{.choices = {CutMix{0.7}}};
  for (const PixelSize image : {kImage, PixelSize{1, 1}, PixelSize{7, 32}}) {
    const auto factors = Factors(mix, image);
    for (std::uint64_t id = 0; id < kSamples; id += 7) {
      const SampleDraws draws(11, id, 2);
      const Draw place = draws((1 << 24) - 254);
      const auto ratio =
          static_cast<float>(DrawBeta(0.7, draws((1 << 24) - 255)));
      const double r = 0.5 * std::sqrt(1.0 - ratio);
      const auto side = [&](std::uint32_t middle, std::uint32_t size) {
        const int half = static_cast<int>(r * size);
        return std::array<int, 2>{
            std::max(static_cast<int>(middle) - half, 0),
            std::min(static_cast<int>(middle) + half, static_cast<int>(size))};
      };
      const auto [x1, x2] = side(place.Below(0, image.width), image.width);
      const auto [y1, y2] = side(place.Below(1, image.height), image.height);
      const MixFactor& factor = factors[id];
      const int area = (x2 - x1) * (y2 - y1);
      REQUIRE(factor.weight ==
              static_cast<float>(
                  1 - area / static_cast<double>(image.width * image.height)));
      REQUIRE(factor.is_cut() == (area > 0));
      if (area == 0) continue;
      REQUIRE(factor.x == static_cast<std::uint32_t>(x1));
      REQUIRE(factor.y == static_cast<std::uint32_t>(y1));
      REQUIRE(factor.width == static_cast<std::uint32_t>(x2 - x1));
      REQUIRE(factor.height == static_cast<std::uint32_t>(y2 - y1));
    }
  }
}

TEST_CASE("CheckMixChoices says what cannot be", "[mix_draws]") {
  const auto said = [](std::vector<MixChoice> choices) {
    return CheckMixChoices({.choices = std::move(choices)}).message();
  };
  CHECK(said({}).empty());
  CHECK(said({MixUp{0.001, 0.1}, MixUp{1000, 0.7}, CutMix{1, 0.2}}).empty());
  CHECK(said({MixUp{0}}) == "mix: alpha of MixUp must be 0.001 to 1000");
  CHECK(said({CutMix{std::nan("")}}) ==
        "mix: alpha of CutMix must be 0.001 to 1000");
  CHECK(said({MixUp{1, -0.1}}) == "mix: probability of MixUp must be 0 to 1");
  CHECK(said({MixUp{1, 0.75}, CutMix{1, 0.5}}) ==
        "mix: probabilities add up to 1.250000, which is more than 1");
}

}  // namespace
}  // namespace shardine::mix_draws_test
