#include "pixels/opencv_factors.h"

#include <cmath>
#include <numbers>

namespace shardine {
namespace {

OpenCvFactors Linear(float x) { return {1.0f - x, x}; }

// Keys' cubic convolution with a = -0.75.
OpenCvFactors Cubic(float x) {
  constexpr float kA = -0.75f;
  OpenCvFactors factors{};
  const float left = x + 1;
  const float right = 1 - x;
  factors[0] = ((kA * left - 5 * kA) * left + 8 * kA) * left - 4 * kA;
  factors[1] = ((kA + 2) * x - (kA + 3)) * x * x + 1;
  factors[2] = ((kA + 2) * right - (kA + 3)) * right * right + 1;
  factors[3] = 1.0f - factors[0] - factors[1] - factors[2];
  return factors;
}

// sin(y - i pi / 4) by the sine and cosine of y alone.
OpenCvFactors Lanczos4(float x) {
  constexpr double kQuarter = std::numbers::sqrt2 / 2;
  constexpr double kTurns[8][2] = {
      {1, 0},  {-kQuarter, -kQuarter}, {0, 1},  {kQuarter, -kQuarter},
      {-1, 0}, {kQuarter, kQuarter},   {0, -1}, {-kQuarter, kQuarter}};
  const double begin = -(x + 3) * std::numbers::pi * 0.25;
  const double sine = std::sin(begin);
  const double cosine = std::cos(begin);
  OpenCvFactors factors{};
  float sum = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const float distance = x + 3 - static_cast<float>(i);
    // Where a pixel is met exactly, a weight that makes all others vanish.
    factors[i] = 1e30f;
    if (std::fabs(distance) >= 1e-6f) {
      const double y = -distance * std::numbers::pi * 0.25;
      factors[i] = static_cast<float>(
          (kTurns[i][0] * sine + kTurns[i][1] * cosine) / (y * y));
    }
    sum += factors[i];
  }
  sum = 1.0f / sum;
  for (float& factor : factors) factor *= sum;
  return factors;
}

}  // namespace

std::uint32_t TapsOf(OpenCvFilter filter) {
  switch (filter) {
    case OpenCvFilter::kCubic:
      return 4;
    case OpenCvFilter::kLanczos4:
      return 8;
    default:
      return 2;
  }
}

OpenCvFactors FactorsOf(OpenCvFilter filter, float x) {
  switch (filter) {
    case OpenCvFilter::kCubic:
      return Cubic(x);
    case OpenCvFilter::kLanczos4:
      return Lanczos4(x);
    default:
      return Linear(x);
  }
}

}  // namespace shardine
