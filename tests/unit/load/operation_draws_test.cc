#include "load/operation_draws.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "load/portable_math.h"

namespace shardine::operation_draws_test {
namespace {

constexpr std::uint64_t kSamples = 80'000;

template <typename F>
void ForSamples(F use) {
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    const SampleDraws draws(7, id, 3);
    use(OperationDraws(draws, 2));
  }
}

// The greatest distance between the samples' distribution and the uniform one
// on [low, high]; above 1.95 / sqrt(n) once in a thousand times.
double Distance(std::vector<double> values, double low, double high) {
  std::sort(values.begin(), values.end());
  double most = 0;
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = (values[i] - low) / (high - low);
    const auto place = static_cast<double>(i);
    most = std::max({most, share - place / n, (place + 1) / n - share});
  }
  return most;
}
const double kFar = 1.95 / std::sqrt(static_cast<double>(kSamples));

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double both = 0;
  double only_a = 0;
  double only_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    only_a += (a[i] - mean_a) * (a[i] - mean_a);
    only_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return both / std::sqrt(only_a * only_b);
}

TEST_CASE("OperationDraws have numbers of their own for each operation",
          "[operation_draws][one_thread]") {
  const SampleDraws draws(5, 6, 7);
  for (const std::uint32_t number : {0U, 1U, 30U}) {
    for (const std::uint32_t draw : {0U, 10U, 255U}) {
      CHECK(OperationDraws(draws, number)(draw).Uniform(1) ==
            draws(256 * (number + 1) + draw).Uniform(1));
    }
  }
}

TEST_CASE("An operation happens as often as its probability says",
          "[operation_draws][one_thread]") {
  std::uint64_t count = 0;
  ForSamples([&](const OperationDraws& draws) {
    count += draws.Happens(0.3) ? 1 : 0;
    REQUIRE(draws.Happens(1));
    REQUIRE_FALSE(draws.Happens(0));
  });
  // Four deviations.
  CHECK(std::abs(static_cast<double>(count) - 24'000) < 4 * 130);
}

TEST_CASE("ColorJitter's factors are uniform and its 24 orders even",
          "[operation_draws][one_thread]") {
  const ColorJitter jitter{.brightness = {0.6, 1.4},
                           .contrast = {0.2, 1.8},
                           .saturation = {0, 2},
                           .hue = {-0.1, 0.3}};
  std::array<std::vector<double>, 4> factors;
  std::map<std::array<int, 4>, int> orders;
  ForSamples([&](const OperationDraws& draws) {
    const DrawnColors colors = DrawColors(jitter, draws);
    REQUIRE(colors.count == 4);
    std::array<int, 4> order;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& [kind, factor] = colors.adjustments[i];
      order[i] = static_cast<int>(kind);
      factors[static_cast<std::size_t>(kind)].push_back(factor);
    }
    ++orders[order];
  });
  // Each has a word of its own: the factors of a sample know nothing of each
  // other.
  for (std::size_t one = 0; one < 4; ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      CHECK(std::abs(Correlation(factors[one], factors[other])) < 0.015);
    }
  }
  CHECK(Distance(factors[0], 0.6, 1.4) < kFar);
  CHECK(Distance(factors[1], 0.2, 1.8) < kFar);
  CHECK(Distance(factors[2], 0, 2) < kFar);
  CHECK(Distance(factors[3], -0.1, 0.3) < kFar);
  REQUIRE(orders.size() == 24);
  double chi = 0;
  for (const auto& [order, count] : orders) {
    const double away = count - kSamples / 24.0;
    chi += away * away / (kSamples / 24.0);
  }
  CHECK(chi < 49.7);  // 23 degrees of freedom: once in a thousand times
}

TEST_CASE(
    "ColorJitter leaves out what changes nothing and draws the rest as "
    "before",
    "[operation_draws][one_thread]") {
  const ColorJitter all{.brightness = {0.6, 1.4},
                        .contrast = {0.2, 1.8},
                        .saturation = {0, 2},
                        .hue = {-0.1, 0.3}};
  ColorJitter some = all;
  some.contrast = {1, 1};
  const SampleDraws draws(1, 2, 3);
  const OperationDraws own(draws, 0);
  const DrawnColors four = DrawColors(all, own);
  std::vector<double> without;
  for (const auto& each : four.all()) {
    if (each.kind == ColorAdjustment::Kind::kContrast) continue;
    without.push_back(each.factor);
  }
  std::vector<double> three;
  const DrawnColors drawn = DrawColors(some, own);
  for (const auto& each : drawn.all()) three.push_back(each.factor);
  CHECK(three == without);
  CHECK(DrawColors({}, own).count == 0);
  some.contrast = {1, 1.0001};
  CHECK(DrawColors(some, own).count == 4);
}

TEST_CASE("Sigmas are uniform and kernels sum up to 1",
          "[operation_draws][one_thread]") {
  std::vector<double> sigmas;
  ForSamples([&](const OperationDraws& draws) {
    sigmas.push_back(DrawSigma({.sigma = {0.1, 2}}, draws));
  });
  CHECK(Distance(sigmas, 0.1, 2) < kFar);
  for (const double sigma : {0.01, 0.1, 1.0, 5.0, 1000.0}) {
    for (const std::uint32_t kernel : {1U, 3U, 23U, 255U}) {
      const std::vector<float> weights = GaussianWeights(kernel, sigma);
      const std::size_t all = kernel / 2 + 1;
      REQUIRE(weights.size() <= all);
      if (weights.size() < all) {
        const double first = static_cast<double>(weights.size()) / sigma;
        CHECK(weights[0] * std::exp(-first * first / 2) < 1e-9);
      }
      CHECK((sigma < 5 || kernel == 255 || weights.size() == all));
      const double sum =
          std::accumulate(weights.begin() + 1, weights.end(), 0.0);
      CHECK(std::abs(2 * sum + weights[0] - 1) < 1e-5);
      // Neighbours' ratio is the Gaussian's.
      if (kernel > 1 && sigma >= 1) {
        CHECK(weights[1] / weights[0] ==
              Approx(std::exp(-1 / (2 * sigma * sigma))));
      }
    }
  }
}

TEST_CASE("RandomErasing's boxes have the areas, ratios and places asked for",
          "[operation_draws][one_thread]") {
  const PixelSize image{300, 200};
  std::vector<double> areas;
  std::vector<double> ratios;
  std::vector<double> places;
  ForSamples([&](const OperationDraws& draws) {
    const auto box =
        DrawErased({.scale = {0.05, 0.2}, .ratio = {0.5, 2}}, image, draws);
    REQUIRE(box.has_value());
    REQUIRE(box->x + box->width <= image.width);
    REQUIRE(box->y + box->height <= image.height);
    areas.push_back(static_cast<double>(box->width) * box->height);
    ratios.push_back(std::log2(static_cast<double>(box->height) / box->width));
    places.push_back((box->x + 0.5) / (image.width - box->width + 1));
  });
  // Sides are whole pixels, and tall boxes are large ones less often: wider.
  CHECK(Distance(areas, 3000, 12'000) < 0.02);
  CHECK(Distance(ratios, -1, 1) < 0.03);
  CHECK(Distance(places, 0, 1) < 0.01);
}

TEST_CASE("RandomErasing erases nothing where no box is smaller than the image",
          "[operation_draws][one_thread]") {
  const SampleDraws draws(1, 2, 3);
  const OperationDraws own(draws, 0);
  CHECK_FALSE(DrawErased({.scale = {1, 1}, .ratio = {1, 1}}, {9, 9}, own));
  CHECK_FALSE(DrawErased({.scale = {0.5, 0.5}}, {1, 1}, own));
  const auto nothing = DrawErased({.scale = {0, 0}}, {9, 9}, own);
  REQUIRE(nothing.has_value());
  CHECK((nothing->width == 0 && nothing->height == 0));
}

TEST_CASE("Cutout's square is cut at the borders and has an even centre",
          "[operation_draws][one_thread]") {
  std::array<std::uint64_t, 32> across = {};
  ForSamples([&](const OperationDraws& draws) {
    const Region box = DrawCutout({.side = 9}, {32, 20}, draws);
    REQUIRE(box.x + box.width <= 32);
    REQUIRE(box.y + box.height <= 20);
    REQUIRE((box.width >= 4 && box.width <= 8));
    REQUIRE((box.height >= 4 && box.height <= 8));
    REQUIRE((box.width == 8 || box.x == 0 || box.x + box.width == 32));
    ++across[box.x == 0 ? box.width - 4 : box.x + 4];
  });
  for (const std::uint64_t count : across) {
    CHECK(std::abs(static_cast<double>(count) - 2500) < 5 * 50);
  }
  const SampleDraws draws(1, 2, 3);
  const Region all =
      DrawCutout({.side = 65'535}, {7, 5}, OperationDraws(draws, 0));
  CHECK(all == Region{0, 0, 7, 5});
}

TEST_CASE("Lighting adds colors of the covariance that its vectors say",
          "[operation_draws][one_thread]") {
  // Rows of fb.resnet.torch's eigenvectors times their values.
  constexpr double kRed[] = {-0.5675 * 0.2175, 0.7192 * 0.0188,
                             0.4009 * 0.0045};
  constexpr double kBlue[] = {-0.5836 * 0.2175, -0.6948 * 0.0188,
                              0.4203 * 0.0045};
  double red = 0;
  double both = 0;
  double mean = 0;
  ForSamples([&](const OperationDraws& draws) {
    const auto color = DrawLighting({.deviation = 0.1}, draws);
    red += color[0] * color[0] / kSamples;
    both += color[0] * color[2] / kSamples;
    mean += color[1] / kSamples;
  });
  const auto product = [](const double* a, const double* b) {
    return 25.5 * 25.5 * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  };
  CHECK(red == Approx(product(kRed, kRed)).epsilon(0.03));
  CHECK(both == Approx(product(kRed, kBlue)).epsilon(0.03));
  CHECK(std::abs(mean) < 0.05);
}

TEST_CASE(
    "RandomAffine's parameters are uniform and know nothing of each other",
    "[operation_draws][one_thread]") {
  const RandomAffine affine{.degrees = {-30, 90},
                            .translate = {0.5, 0.25},
                            .scale = {0.5, 2},
                            .shear_x = {-10, 20},
                            .shear_y = {5, 6}};
  std::array<std::vector<double>, 6> drawn;
  ForSamples([&](const OperationDraws& draws) {
    const AffineParameters one = DrawAffine(affine, {4000, 8000}, draws);
    drawn[0].push_back(one.angle);
    drawn[1].push_back(one.translation[0]);
    drawn[2].push_back(one.translation[1]);
    drawn[3].push_back(one.scale);
    drawn[4].push_back(one.shear[0]);
    drawn[5].push_back(one.shear[1]);
    REQUIRE(one.translation[0] == std::nearbyint(one.translation[0]));
    REQUIRE(one.center == std::array<double, 2>{0, 0});
    REQUIRE(DrawRotation({.degrees = {-30, 90}}, draws).angle == -one.angle);
  });
  const DrawnRange ranges[] = {{-30, 90}, {-2000, 2000}, {-2000, 2000},
                               {0.5, 2},  {-10, 20},     {5, 6}};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(Distance(drawn[i], ranges[i][0], ranges[i][1]) < kFar);
    for (std::size_t other = 0; other < i; ++other) {
      CHECK(std::abs(Correlation(drawn[i], drawn[other])) < 0.015);
    }
  }
}

TEST_CASE("PortableNormalQuantile is the inverse of libm's distribution",
          "[portable_math][one_thread]") {
  for (double p = 0x1p-33; p < 1; p += p < 0.001 ? p / 3 : 0.0007) {
    const double x = PortableNormalQuantile(p);
    CHECK(0.5 * std::erfc(-x / std::sqrt(2.0)) == Approx(p).epsilon(2e-7));
  }
  CHECK(PortableNormalQuantile(0.5) == 0);
  CHECK(PortableNormalQuantile(0.975) == Approx(1.959963985).epsilon(1e-8));
  CHECK(PortableNormalQuantile(0.25) == -PortableNormalQuantile(0.75));
}

}  // namespace
}  // namespace shardine::operation_draws_test
