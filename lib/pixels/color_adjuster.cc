#include "pixels/color_adjuster.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/simd_level.h"
#include "pixels/byte_table.h"
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

ByteTable TableOf(const ColorStep& scale) {
  ByteTable table;
  for (std::size_t v = 0; v < table.size(); ++v) {
    const float value = static_cast<float>(v) * scale.factor + scale.rest;
    table[v] =
        static_cast<std::uint8_t>(std::min(std::max(value, 0.0F), 255.0F));
  }
  return table;
}

// A run of steps that one pass does.
class Pass {
 public:
  bool full() const { return count_ == steps_.size(); }
  std::span<const ColorStep> all() const {
    return std::span(steps_).first(count_);
  }
  void Clear() { count_ = 0; }
  void Add(ColorStep step) {
    if (step.kind == ColorStep::Kind::kScale && LooksUpFast()) {
      tables_[count_] = TableOf(step);
      step = {.kind = ColorStep::Kind::kLook, .table = &tables_[count_]};
    }
    steps_[count_++] = step;
  }

 private:
  std::array<ColorStep, 8> steps_;
  std::array<ByteTable, 8> tables_;
  std::size_t count_ = 0;
};

}  // namespace

void AdjustColors(RgbPixels image,
                  std::span<const ColorAdjustment> adjustments) {
  if (image.count() == 0) return;  // nothing has no mean
  const ColorKernel adjust = VectorColorKernel(CurrentSimdLevel());
  const auto pixels = static_cast<float>(image.count());
  Pass pass;
  for (const ColorAdjustment& adjustment : adjustments) {
    float mean = 0;
    if (adjustment.kind == Kind::kContrast) {
      const std::uint64_t sum =
          adjust(image.data, image.count(), pass.all(), true);
      pass.Clear();
      mean = static_cast<float>(sum) / pixels;
    }
    if (pass.full()) {
      adjust(image.data, image.count(), pass.all(), false);
      pass.Clear();
    }
    pass.Add(StepOf(adjustment, mean));
  }
  if (!pass.all().empty()) {
    adjust(image.data, image.count(), pass.all(), false);
  }
}

}  // namespace shardine
