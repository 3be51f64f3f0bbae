#include "image/resample_axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace shardine {
namespace {

constexpr std::int32_t kOne = std::int32_t{1} << kWeightBits;

double Sinc(double x) {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double Hamming(double x) {
  x = std::abs(x);
  if (x >= 1.0) return 0.0;
  return Sinc(x) * (0.54 + 0.46 * std::cos(x * std::numbers::pi));
}

double Bicubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0.0;
}

double ValueAt(Filter filter, double x) {
  switch (filter) {
    case Filter::kNearest:
    case Filter::kBox:
      return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    case Filter::kBilinear:
      return std::max(1.0 - std::abs(x), 0.0);
    case Filter::kHamming:
      return Hamming(x);
    case Filter::kBicubic:
      return Bicubic(x);
    case Filter::kLanczos:
      return x >= -3.0 && x < 3.0 ? Sinc(x) * Sinc(x / 3) : 0.0;
  }
  return 0.0;
}

double SupportOf(Filter filter) {
  switch (filter) {
    case Filter::kNearest:
    case Filter::kBox:
      return 0.5;
    case Filter::kBilinear:
    case Filter::kHamming:
      return 1.0;
    case Filter::kBicubic:
      return 2.0;
    case Filter::kLanczos:
      return 3.0;
  }
  return 1.0;
}

std::int32_t ToFixed(double weight) {
  const double half = weight < 0 ? -0.5 : 0.5;
  return static_cast<std::int32_t>(half + weight * kOne);
}

// One source pixel for each output pixel: `from` says which.
template <typename From>
void FillCopies(ResampleAxis& axis, From from) {
  axis.taps = 1;
  axis.weights.assign(axis.out, kOne);
  for (std::uint32_t i = 0; i < axis.out; ++i) {
    axis.windows[i] = {from(i), 1};
  }
}

// Pillow adds the step up, and so do we: the roundings are part of the result.
void FillNearest(ResampleAxis& axis) {
  const double step = static_cast<double>(axis.in) / axis.out;
  double at = step * 0.5;
  FillCopies(axis, [&](std::uint32_t) {
    const auto from = static_cast<std::uint32_t>(at);
    at += step;
    return std::min(from, axis.in - 1);
  });
}

void FillFiltered(ResampleAxis& axis, Filter filter) {
  const double scale = static_cast<double>(axis.in) / axis.out;
  const double filter_scale = std::max(scale, 1.0);
  const double support = SupportOf(filter) * filter_scale;
  const double step = 1.0 / filter_scale;
  const auto most = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  std::vector<double> values(most * axis.out);
  for (std::uint32_t i = 0; i < axis.out; ++i) {
    const double center = (i + 0.5) * scale;
    const auto first = static_cast<std::uint32_t>(
        std::max(std::trunc(center - support + 0.5), 0.0));
    const auto end = static_cast<std::uint32_t>(
        std::min(std::trunc(center + support + 0.5), double{axis.in * 1.0}));
    axis.windows[i] = {first, end - first};
    double* value = values.data() + most * i;
    double sum = 0.0;
    for (std::uint32_t k = 0; k < end - first; ++k) {
      value[k] = ValueAt(filter, (k + first - center + 0.5) * step);
      sum += value[k];
    }
    for (std::uint32_t k = 0; k < end - first && sum != 0.0; ++k) {
      value[k] /= sum;
    }
    axis.taps = std::max(axis.taps, end - first);
  }
  axis.weights.resize(std::size_t{axis.taps} * axis.out);
  for (std::uint32_t i = 0; i < axis.out; ++i) {
    ResampleAxis::Window& window = axis.windows[i];
    const double* value = values.data() + most * i;
    // At the far end it begins earlier, with weights of zero.
    const std::uint32_t first = std::min(window.first, axis.in - axis.taps);
    const std::uint32_t shift = window.first - first;
    std::transform(value, value + window.count,
                   axis.weights.data() + std::size_t{axis.taps} * i + shift,
                   ToFixed);
    window = {first, window.count + shift};
  }
}

void Mirror(ResampleAxis& axis) {
  std::reverse(axis.windows.begin(), axis.windows.end());
  for (std::uint32_t i = 0; i < axis.out / 2; ++i) {
    std::swap_ranges(
        axis.weights.data() + std::size_t{axis.taps} * i,
        axis.weights.data() + std::size_t{axis.taps} * (i + 1),
        axis.weights.data() + std::size_t{axis.taps} * (axis.out - 1 - i));
  }
}

}  // namespace

ResampleAxis MakeResampleAxis(std::uint32_t in, std::uint32_t out,
                              Filter filter, bool flip) {
  ResampleAxis axis;
  axis.in = in;
  axis.out = out;
  axis.windows.resize(out);
  if (in == out) {
    FillCopies(axis, [](std::uint32_t i) { return i; });
  } else if (filter == Filter::kNearest) {
    FillNearest(axis);
  } else {
    FillFiltered(axis, filter);
  }
  if (flip) Mirror(axis);
  return axis;
}

}  // namespace shardine
