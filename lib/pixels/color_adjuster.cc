#include "pixels/color_adjuster.h"

#include <array>
#include <cstddef>

#include "base/simd_level.h"
#include "pixels/color_kernels.h"

namespace shardine {
namespace {

using Kind = ColorAdjustment::Kind;

// As torch has it: both factors are rounded once, from doubles.
ColorStep StepOf(const ColorAdjustment& adjustment, float mean) {
  const auto factor = static_cast<float>(adjustment.factor);
  const auto rest = static_cast<float>(1.0 - adjustment.factor);
  switch (adjustment.kind) {
    case Kind::kBrightness:
      return {.kind = ColorStep::Kind::kScale, .factor = factor};
    case Kind::kContrast:
      return {.kind = ColorStep::Kind::kScale,
              .factor = factor,
              .rest = mean * rest};
    case Kind::kSaturation:
      return {
          .kind = ColorStep::Kind::kSaturate, .factor = factor, .rest = rest};
    case Kind::kHue:
      // In sixths of a turn, positive, so that the kernel has one case less.
      return {.kind = ColorStep::Kind::kTurn,
              .factor = static_cast<float>((adjustment.factor < 0
                                                ? adjustment.factor + 1
                                                : adjustment.factor) *
                                           6)};
    case Kind::kGray:
      break;
  }
  return {.kind = ColorStep::Kind::kGray};
}

// A run of steps that one pass does.
struct Pass {
  std::array<ColorStep, 8> steps;
  std::size_t count = 0;

  std::span<const ColorStep> all() const {
    return std::span(steps).first(count);
  }
};

}  // namespace

void AdjustColors(RgbPixels image,
                  std::span<const ColorAdjustment> adjustments) {
  const ColorKernel adjust = VectorColorKernel(CurrentSimdLevel());
  const auto pixels = static_cast<float>(image.count());
  Pass pass;
  for (const ColorAdjustment& adjustment : adjustments) {
    float mean = 0;
    if (adjustment.kind == Kind::kContrast) {
      const std::uint64_t sum =
          adjust(image.data, image.count(), pass.all(), true);
      pass.count = 0;
      mean = static_cast<float>(sum) / pixels;
    }
    if (pass.count == pass.steps.size()) {
      adjust(image.data, image.count(), pass.all(), false);
      pass.count = 0;
    }
    pass.steps[pass.count++] = StepOf(adjustment, mean);
  }
  if (pass.count > 0) adjust(image.data, image.count(), pass.all(), false);
}

}  // namespace shardine
