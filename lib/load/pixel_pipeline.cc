#include "load/pixel_pipeline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "load/augmenter.h"
#include "load/operation_check.h"
#include "load/operation_draws.h"
#include "load/policy_draws.h"
#include "load/record_draws.h"
#include "pixels/color_adjuster.h"
#include "pixels/opencv_colors.h"
#include "pixels/opencv_hls.h"
#include "pixels/pixel_moves.h"
#include "pixels/tone_tables.h"

namespace shardine {
namespace {

void AdjustAsRecords(RgbPixels image, const RecordColors& drawn) {
  for (std::size_t i = 0; i < drawn.count; ++i) {
    const auto& [kind, factor] = drawn.colors[i];
    switch (kind) {
      case RecordColor::Kind::kBrightness:
        ScaleAndShift(image, factor, 0);
        break;
      case RecordColor::Kind::kContrast:
        ScaleAndShift(image, factor, (1 - factor) * MeanOfSwappedGray(image));
        break;
      case RecordColor::Kind::kSaturation:
        BlendWithSwappedGray(image, factor, 1 - factor);
        break;
    }
  }
}

// One operation on one image.
struct Performer {
  RgbPixels image;
  OperationDraws draws;
  NeighborFilters& filters;
  AffineSampler& sampler;
  std::span<const DrawnStep> steps;  // of the operation
  Status& status;

  void operator()(const TransformFunction& each) const {
    status = each.function({.pixels = {image.data, image.bytes()},
                            .width = image.size.width,
                            .height = image.size.height,
                            .seed = draws(1).Bits()});
  }
  void operator()(const Normalize&) const {}  // is the batch's own writing
  void operator()(const RandomHorizontalFlip&) const {
    FlipHorizontally(image);
  }
  void operator()(const RandomVerticalFlip&) const { FlipVertically(image); }
  void operator()(const ColorJitter& jitter) const {
    const DrawnColors colors = DrawColors(jitter, draws);
    AdjustColors(image, colors.all());
  }
  void operator()(const RandomGrayscale&) const {
    const ColorAdjustment gray;
    AdjustColors(image, {&gray, 1});
  }
  void operator()(const RandomInvert&) const { Invert(image); }
  void operator()(const RandomPosterize& posterize) const {
    Posterize(image, posterize.bits);
  }
  void operator()(const RandomSolarize& solarize) const {
    Solarize(image, solarize.threshold);
  }
  void operator()(const RandomAutocontrast&) const { AutoContrast(image); }
  void operator()(const RandomEqualize&) const { Equalize(image); }
  void operator()(const RandomAdjustSharpness& sharpness) const {
    filters.Sharpen(image, sharpness.factor);
  }
  void operator()(const GaussianBlur& blur) const {
    const double sigma = DrawSigma(blur, draws);
    filters.Blur(image, GaussianWeights(blur.kernel_width, sigma),
                 GaussianWeights(blur.kernel_height, sigma));
  }
  void operator()(const RandomErasing& erasing) const {
    const auto region = DrawErased(erasing, image.size, draws);
    if (region) Paint(image, *region, erasing.value);
  }
  void operator()(const Cutout& cutout) const {
    Paint(image, DrawCutout(cutout, image.size, draws), cutout.value);
  }
  void operator()(const Lighting& lighting) const {
    AddColor(image, DrawLighting(lighting, draws));
  }
  void operator()(const Affine& affine) const { Move(affine); }
  void operator()(const RandomAffine& affine) const { Move(affine); }
  void operator()(const RandomRotation& rotation) const { Move(rotation); }
  void operator()(const TrivialAugmentWide& policy) const { Augment(policy); }
  void operator()(const RandAugment& policy) const { Augment(policy); }
  void operator()(const AutoAugment& policy) const { Augment(policy); }
  void operator()(const ImageRecordJitter& jitter) const {
    AdjustAsRecords(image, DrawRecordColors(jitter, draws));
  }
  void operator()(const RandomHls& hls) const {
    ShiftHls(image, DrawHls(hls, draws));
  }
  void operator()(const PcaNoise& noise) const {
    AddTruncated(image, DrawPcaNoise(noise, draws));
  }
  // As Normalize.
  void operator()(const ImageRecordNormalize&) const {}
  // A policy, step by step.
  template <typename T>
  void Augment(const T& policy) const {
    for (const DrawnStep& step : steps) {
      if (step.kind == DrawnStep::Kind::kAffine) {
        sampler(image, step.matrix, policy.interpolation, policy.fill);
      } else {
        AugmentValues(image, step.values, filters);
      }
    }
  }
  template <typename T>
  void Move(const T& operation) const {
    sampler(image, steps.front().matrix, operation.interpolation,
            operation.fill);
  }
};

// Draws the move of one operation, once.
struct Drawer {
  PixelSize size;
  OperationDraws draws;
  std::size_t number;
  std::vector<DrawnStep>& steps;

  void operator()(const RandomHorizontalFlip&) const {
    Add(DrawnStep::Kind::kFlipAcross);
  }
  void operator()(const RandomVerticalFlip&) const {
    Add(DrawnStep::Kind::kFlipDown);
  }
  void operator()(const Affine& affine) const {
    const auto [x, y] = affine.translate;
    AddMove({.angle = affine.angle,
             .translation = {static_cast<double>(x), static_cast<double>(y)},
             .scale = affine.scale,
             .shear = affine.shear});
  }
  void operator()(const RandomAffine& affine) const {
    AddMove(DrawAffine(affine, size, draws));
  }
  void operator()(const RandomRotation& rotation) const {
    AddMove(DrawRotation(rotation, draws));
  }
  void operator()(const TrivialAugmentWide& policy) const { AddAll(policy); }
  void operator()(const RandAugment& policy) const { AddAll(policy); }
  void operator()(const AutoAugment& policy) const { AddAll(policy); }

  DrawnStep& Add(DrawnStep::Kind kind) const {
    return steps.emplace_back(DrawnStep{.operation = number, .kind = kind});
  }
  void AddMove(const AffineParameters& parameters) const {
    Add(DrawnStep::Kind::kAffine).matrix = InverseAffineMatrix(parameters);
  }
  template <typename T>
  void AddAll(const T& policy) const {
    for (const auto& each : DrawAugmentations(policy, size, draws)) {
      if (const auto move = MovementOf(each, size)) {
        AddMove(*move);
      } else {
        Add(DrawnStep::Kind::kValues).values = each;
      }
    }
  }
};

template <typename T>
concept MovesPixels = requires(const Drawer& drawer, const T& operation) {
  drawer(operation);
};

bool HasSteps(const PixelOperation& operation) {
  return std::visit([]<typename T>(const T&) { return MovesPixels<T>; },
                    operation);
}

bool Happens(const PixelOperation& operation, const OperationDraws& draws) {
  return std::visit(
      [&](const auto& each) {
        if constexpr (requires { each.probability; }) {
          return draws.Happens(each.probability);
        } else {
          return true;
        }
      },
      operation);
}

// Must be the last.
bool Normalizes(const PixelOperation& operation) {
  return std::holds_alternative<Normalize>(operation) ||
         std::holds_alternative<ImageRecordNormalize>(operation);
}

Status Invalid(const char* why) {
  return Status(Code::kInvalidArgument, std::string("transform: ") + why);
}

Status CheckFlips(const Transform& transform) {
  const auto* const crop = std::get_if<RandomResizedCrop>(&transform.geometry);
  if (crop == nullptr || !(crop->flip > 0)) return {};
  for (const PixelOperation& operation : transform.operations) {
    if (std::holds_alternative<RandomHorizontalFlip>(operation)) {
      return Invalid(
          "RandomResizedCrop flips by itself, and RandomHorizontalFlip would "
          "flip again: set flip of RandomResizedCrop to 0, or leave the other "
          "one out");
    }
  }
  return {};
}

}  // namespace

Status CheckOperations(const Transform& transform) {
  const auto& operations = transform.operations;
  // Beyond, draws of one view would be those of the next (operation_draws.h).
  constexpr std::size_t kMost = 65'535;
  if (operations.size() >= kMost) return Invalid("65,535 operations or more");
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Status status = CheckOperation(operations[i]);
    if (!status.ok()) return status;
    if (i + 1 == operations.size()) break;
    if (!Normalizes(operations[i])) continue;
    return Invalid(Normalizes(operations.back())
                       ? "normalizes more than once"
                       : "Normalize is the last operation");
  }
  return CheckFlips(transform);
}

void PixelPipeline::Draw(PixelSize size, const SampleDraws& draws,
                         std::vector<DrawnStep>& steps) const {
  steps.clear();
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (!HasSteps(operations_[i])) continue;
    const OperationDraws own(draws, i);
    if (!Happens(operations_[i], own)) continue;
    std::visit(
        [&]<typename T>(const T& operation) {
          if constexpr (MovesPixels<T>) {
            Drawer{size, own, i, steps}(operation);
          }
        },
        operations_[i]);
  }
}

Status PixelPipeline::operator()(RgbPixels image, const SampleDraws& draws,
                                 std::span<const DrawnStep> steps) {
  Status status;
  for (std::size_t i = 0; i < operations_.size() && status.ok(); ++i) {
    const auto other = std::ranges::find_if(
        steps, [i](const DrawnStep& step) { return step.operation != i; });
    const std::span<const DrawnStep> of_operation(steps.begin(), other);
    steps = std::span(other, steps.end());
    const OperationDraws own(draws, i);
    if (HasSteps(operations_[i]) ? of_operation.empty()
                                 : !Happens(operations_[i], own)) {
      continue;
    }
    std::visit(Performer{image, own, filters_, sampler_, of_operation, status},
               operations_[i]);
  }
  return status;
}

}  // namespace shardine
