#include "pixels/opencv_axis.h"

#include <algorithm>
#include <cmath>

#include "pixels/opencv_factors.h"

namespace shardine {
namespace {

// OpenCV takes the reciprocal twice, and the scale is not always in / out.
struct Scale {
  Scale(std::uint32_t in, std::uint32_t out)
      : inverse(static_cast<double>(out) / in), forward(1.0 / inverse) {}
  double inverse;
  double forward;
};

// Between two pixels: the left one, and how far beyond it.
struct Place {
  std::int32_t pixel;
  float beyond;
};

Place PlaceOf(std::uint32_t pixel, const Scale& scale, OpenCvFilter filter) {
  if (filter != OpenCvFilter::kArea) {
    const auto at = static_cast<float>((pixel + 0.5) * scale.forward - 0.5);
    const auto left = static_cast<std::int32_t>(std::floor(at));
    return {left, at - static_cast<float>(left)};
  }
  // Area of an axis that grows: one pixel, but where the edge of the next one
  // comes into the output pixel.
  const auto left =
      static_cast<std::int32_t>(std::floor(pixel * scale.forward));
  const auto at =
      static_cast<float>((pixel + 1.0) - (left + 1.0) * scale.inverse);
  return {left, at <= 0 ? 0.0f : at - std::floor(at)};
}

std::int16_t ToFixed(float factor) {
  constexpr float kOne = 1 << OpenCvAxis::kWeightBits;
  return static_cast<std::int16_t>(
      std::clamp(std::lrint(factor * kOne), -32768l, 32767l));
}

}  // namespace

OpenCvAxis MakeOpenCvAxis(std::uint32_t in, std::uint32_t out,
                          OpenCvFilter filter, OpenCvDirection direction) {
  const Scale scale(in, out);
  OpenCvAxis axis{.taps = TapsOf(filter), .windows = {}};
  axis.windows.resize(out);
  for (std::uint32_t i = 0; i < out; ++i) {
    auto [pixel, beyond] = PlaceOf(i, scale, filter);
    // Rows beyond the ends keep their weights, and two of the same row are
    // added up after each was rounded; columns do not.
    const bool outside =
        pixel < 0 || static_cast<std::uint32_t>(pixel) + 1 >= in;
    if (axis.taps == 2 && direction == OpenCvDirection::kAcross && outside) {
      beyond = 0;
    }
    const OpenCvFactors factors = FactorsOf(filter, beyond);
    const std::int64_t first = std::int64_t{pixel} - axis.taps / 2 + 1;
    for (std::uint32_t k = 0; k < axis.taps; ++k) {
      axis.windows[i].weights[k] = ToFixed(factors[k]);
      axis.windows[i].sources[k] = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(first + k, 0, std::int64_t{in} - 1));
    }
  }
  return axis;
}

std::vector<std::uint32_t> OpenCvNearest(std::uint32_t in, std::uint32_t out) {
  const Scale scale(in, out);
  std::vector<std::uint32_t> from(out);
  for (std::uint32_t i = 0; i < out; ++i) {
    from[i] = std::min(static_cast<std::uint32_t>(i * scale.forward), in - 1);
  }
  return from;
}

std::vector<OpenCvShare> OpenCvShares(std::uint32_t in, std::uint32_t out) {
  // Less of a pixel than this is left out.
  constexpr double kLeast = 1e-3;
  const double scale = Scale(in, out).forward;
  std::vector<OpenCvShare> shares;
  for (std::uint32_t i = 0; i < out; ++i) {
    const double begin = i * scale;
    const double end = begin + scale;
    const double width = std::min(scale, in - begin);
    const auto last = std::min(static_cast<std::uint32_t>(end), in - 1);
    const auto first =
        std::min(static_cast<std::uint32_t>(std::ceil(begin)), last);
    if (first - begin > kLeast) {
      shares.push_back(
          {first - 1, i, static_cast<float>((first - begin) / width)});
    }
    for (std::uint32_t pixel = first; pixel < last; ++pixel) {
      shares.push_back({pixel, i, static_cast<float>(1.0 / width)});
    }
    if (end - last > kLeast) {
      const double part = std::min({end - last, 1.0, width});
      shares.push_back({last, i, static_cast<float>(part / width)});
    }
  }
  return shares;
}

}  // namespace shardine
