#include "load/pixel_pipeline.h"

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
  void operator()(const Affine& affine) const {
    const auto [x, y] = affine.translate;
    Move(affine,
         {.angle = affine.angle,
          .translation = {static_cast<double>(x), static_cast<double>(y)},
          .scale = affine.scale,
          .shear = affine.shear});
  }
  void operator()(const RandomAffine& affine) const {
    Move(affine, DrawAffine(affine, image.size, draws));
  }
  void operator()(const RandomRotation& rotation) const {
    Move(rotation, DrawRotation(rotation, draws));
  }
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
  template <typename T>
  void Augment(const T& policy) const {
    const Augmenter augment(image, filters, sampler, policy.interpolation,
                            policy.fill);
    for (const auto& each : DrawAugmentations(policy, image.size, draws)) {
      augment(each);
    }
  }
  template <typename T>
  void Move(const T& operation, const AffineParameters& parameters) const {
    sampler(image, InverseAffineMatrix(parameters), operation.interpolation,
            operation.fill);
  }
};

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

PixelPipeline::Flips PixelPipeline::FlipsFor(const SampleDraws& draws) const {
  Flips flips;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const bool across =
        std::holds_alternative<RandomHorizontalFlip>(operations_[i]);
    const bool down =
        std::holds_alternative<RandomVerticalFlip>(operations_[i]);
    if (!across && !down) continue;
    if (!Happens(operations_[i], {draws, i})) continue;
    flips.horizontal ^= across;
    flips.vertical ^= down;
  }
  return flips;
}

Status PixelPipeline::operator()(RgbPixels image, const SampleDraws& draws) {
  Status status;
  for (std::size_t i = 0; i < operations_.size() && status.ok(); ++i) {
    const OperationDraws own(draws, i);
    if (!Happens(operations_[i], own)) continue;
    std::visit(Performer{image, own, filters_, sampler_, status},
               operations_[i]);
  }
  return status;
}

}  // namespace shardine
