#include "pixels/resample_axis.h"

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
  // Pillow's constants are floats, whose sum is not quite 1.
  if (x == 0.0) return 1.0;
  return Sinc(x) * (0.54f + 0.46f * std::cos(x * std::numbers::pi));
}

double Bicubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0.0;
}

double Bilinear(double x) { return std::max(1.0 - std::abs(x), 0.0); }

double Box(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

double Lanczos(double x) {
  return x >= -3.0 && x < 3.0 ? Sinc(x) * Sinc(x / 3) : 0.0;
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

// Pillow rounds away from zero in this way, by a cast that cuts off.
std::int32_t ToFixed(double weight) {
  const double half = weight < 0 ? -0.5 : 0.5;
  return static_cast<std::int32_t>(half + weight * kOne);
}

// The target of one axis: pixels of `part`, before they are mirrored.
struct AxisSpec {
  std::uint32_t in;
  std::uint32_t out;
  Filter filter;
  PixelRun part;

  double scale() const { return static_cast<double>(in) / out; }
  std::uint32_t last() const { return part.first + part.count - 1; }
  bool is_whole() const { return part == PixelRun{0, out}; }
};

// The input that output pixels weigh, one after the other: a support that is
// wider where the input shrinks.
class FilterWindows {
 public:
  explicit FilterWindows(const AxisSpec& spec)
      : in_(spec.in),
        scale_(spec.scale()),
        support_(SupportOf(spec.filter) * std::max(scale_, 1.0)) {}

  double CenterOf(std::uint32_t pixel) const { return (pixel + 0.5) * scale_; }
  ResampleAxis::Window Of(std::uint32_t pixel) const {
    const double center = CenterOf(pixel);
    const auto first =
        static_cast<std::uint32_t>(std::max(center - support_ + 0.5, 0.0));
    const auto end = static_cast<std::uint32_t>(
        std::min(center + support_ + 0.5, double{in_ * 1.0}));
    return {first, end - first};
  }

 private:
  std::uint32_t in_;
  double scale_;
  double support_;
};

// Calls with each output pixel up to the part's last, and where it is from.
// Pillow adds the step up, and so do we: the roundings are part of the result.
template <typename Use>
void EachNearest(const AxisSpec& spec, Use use) {
  const double step = spec.scale();
  double at = step * 0.5;
  for (std::uint32_t i = 0; i <= spec.last(); ++i) {
    use(i, std::min(static_cast<std::uint32_t>(at), spec.in - 1));
    at += step;
  }
}

PixelRun Between(std::uint32_t first, std::uint32_t end) {
  return {first, end - first};
}

PixelRun InputOf(const AxisSpec& spec) {
  if (spec.is_whole()) return {0, spec.in};
  if (spec.in == spec.out) return spec.part;
  if (spec.filter == Filter::kNearest) {
    PixelRun run;
    EachNearest(spec, [&](std::uint32_t pixel, std::uint32_t from) {
      if (pixel <= spec.part.first) run.first = from;
      run.count = from + 1 - run.first;
    });
    return run;
  }
  const FilterWindows windows(spec);
  const ResampleAxis::Window last = windows.Of(spec.last());
  return Between(windows.Of(spec.part.first).first, last.first + last.count);
}

// One source pixel for each output pixel.
void FillCopies(const AxisSpec& spec, PixelRun input, ResampleAxis& axis) {
  axis.taps = 1;
  axis.weights.assign(axis.out, kOne);
  if (spec.in == spec.out) {
    for (std::uint32_t i = 0; i < axis.out; ++i) axis.windows[i] = {i, 1};
    return;
  }
  EachNearest(spec, [&](std::uint32_t pixel, std::uint32_t from) {
    if (pixel < spec.part.first) return;
    axis.windows[pixel - spec.part.first] = {from - input.first, 1};
  });
}

// `value` is the filter.
template <typename Value>
void FillFiltered(const AxisSpec& spec, PixelRun input, Value value,
                  ResampleAxis& axis) {
  const FilterWindows windows(spec);
  for (std::uint32_t i = 0; i < axis.out; ++i) {
    axis.windows[i] = windows.Of(spec.part.first + i);
    axis.taps = std::max(axis.taps, axis.windows[i].count);
  }
  axis.weights.resize(std::size_t{axis.taps} * axis.out);
  const double step = 1.0 / std::max(spec.scale(), 1.0);
  std::vector<double> values(axis.taps);
  for (std::uint32_t i = 0; i < axis.out; ++i) {
    ResampleAxis::Window& window = axis.windows[i];
    const double center = windows.CenterOf(spec.part.first + i);
    double sum = 0.0;
    for (std::uint32_t k = 0; k < window.count; ++k) {
      values[k] = value((k + window.first - center + 0.5) * step);
      sum += values[k];
    }
    // At the far end it begins earlier, with weights of zero.
    const std::uint32_t begin = window.first - input.first;
    const std::uint32_t first = std::min(begin, axis.in - axis.taps);
    const std::uint32_t shift = begin - first;
    std::int32_t* weights =
        axis.weights.data() + std::size_t{axis.taps} * i + shift;
    const double whole = sum != 0.0 ? sum : 1.0;
    for (std::uint32_t k = 0; k < window.count; ++k) {
      weights[k] = ToFixed(values[k] / whole);
    }
    window = {first, window.count + shift};
  }
}

void Fill(const AxisSpec& spec, PixelRun input, ResampleAxis& axis) {
  if (spec.in == spec.out) return FillCopies(spec, input, axis);
  switch (spec.filter) {
    case Filter::kNearest:
      return FillCopies(spec, input, axis);
    case Filter::kBox:
      return FillFiltered(spec, input, Box, axis);
    case Filter::kBilinear:
      // A lambda is compiled into the loop.
      return FillFiltered(
          spec, input, [](double x) { return Bilinear(x); }, axis);
    case Filter::kHamming:
      return FillFiltered(spec, input, Hamming, axis);
    case Filter::kBicubic:
      return FillFiltered(spec, input, Bicubic, axis);
    case Filter::kLanczos:
      return FillFiltered(spec, input, Lanczos, axis);
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

AxisSpec Unmirrored(std::uint32_t in, std::uint32_t out, Filter filter,
                    bool flip, PixelRun part) {
  if (flip) part.first = out - part.first - part.count;
  return {in, out, filter, part};
}

}  // namespace

PixelRun InputOf(std::uint32_t in, std::uint32_t out, Filter filter, bool flip,
                 PixelRun part) {
  return InputOf(Unmirrored(in, out, filter, flip, part));
}

ResampleAxis MakeResampleAxis(std::uint32_t in, std::uint32_t out,
                              Filter filter, bool flip, PixelRun part) {
  const AxisSpec spec = Unmirrored(in, out, filter, flip, part);
  const PixelRun input = InputOf(spec);
  ResampleAxis axis;
  axis.in = input.count;
  axis.out = part.count;
  axis.windows.resize(part.count);
  Fill(spec, input, axis);
  if (flip) Mirror(axis);
  return axis;
}

void NearestSources(std::uint32_t in, std::uint32_t out, PixelRun part,
                    std::span<std::uint32_t> sources) {
  const AxisSpec spec{in, out, Filter::kNearest, part};
  EachNearest(spec, [&](std::uint32_t pixel, std::uint32_t from) {
    if (pixel >= part.first) sources[pixel - part.first] = from;
  });
}

}  // namespace shardine
