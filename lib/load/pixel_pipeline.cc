#include "load/pixel_pipeline.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "load/operation_draws.h"
#include "pixels/color_adjuster.h"
#include "pixels/pixel_moves.h"
#include "pixels/tone_tables.h"

namespace shardine {
namespace {

// Takes the first fault.
class ParameterCheck {
 public:
  explicit ParameterCheck(const char* operation) : operation_(operation) {}

  ParameterCheck& Within(const char* name, double value, double least,
                         double most, const char* words) {
    return Require(value >= least && value <= most, name, words);
  }
  ParameterCheck& Ascending(const char* name, const DrawnRange& range,
                            std::array<double, 2> bounds, const char* words) {
    return Require(
        range[0] >= bounds[0] && range[0] <= range[1] && range[1] <= bounds[1],
        name, words);
  }
  ParameterCheck& Kernel(const char* name, std::uint32_t value) {
    return Require(value % 2 == 1 && value <= 255, name,
                   "must be odd, 1 to 255");
  }
  ParameterCheck& Probability(double value) {
    return Within("probability", value, 0, 1, "must be 0 to 1");
  }
  Status status() && { return std::move(status_); }

 private:
  ParameterCheck& Require(bool good, const char* name, const char* words) {
    if (!good && status_.ok()) {
      status_ =
          Status(Code::kInvalidArgument, std::string("transform: ") + name +
                                             " of " + operation_ + " " + words);
    }
    return *this;
  }

  const char* operation_;
  Status status_;
};

struct Checker {
  ParameterCheck operator()(const Normalize&) const {
    return ParameterCheck("Normalize");  // CheckNormalize is about the rest
  }
  ParameterCheck operator()(const RandomHorizontalFlip& flip) const {
    return ParameterCheck("RandomHorizontalFlip").Probability(flip.probability);
  }
  ParameterCheck operator()(const RandomVerticalFlip& flip) const {
    return ParameterCheck("RandomVerticalFlip").Probability(flip.probability);
  }
  ParameterCheck operator()(const ColorJitter& jitter) const {
    constexpr const char* kFactors = "must be 0 to 1e6, ascending";
    return ParameterCheck("ColorJitter")
        .Ascending("brightness", jitter.brightness, {0, 1e6}, kFactors)
        .Ascending("contrast", jitter.contrast, {0, 1e6}, kFactors)
        .Ascending("saturation", jitter.saturation, {0, 1e6}, kFactors)
        .Ascending("hue", jitter.hue, {-0.5, 0.5},
                   "must be -0.5 to 0.5, ascending")
        .Probability(jitter.probability);
  }
  ParameterCheck operator()(const RandomGrayscale& gray) const {
    return ParameterCheck("RandomGrayscale").Probability(gray.probability);
  }
  ParameterCheck operator()(const RandomInvert& invert) const {
    return ParameterCheck("RandomInvert").Probability(invert.probability);
  }
  ParameterCheck operator()(const RandomPosterize& posterize) const {
    return ParameterCheck("RandomPosterize")
        .Within("bits", posterize.bits, 0, 8, "must be 0 to 8")
        .Probability(posterize.probability);
  }
  ParameterCheck operator()(const RandomSolarize& solarize) const {
    return ParameterCheck("RandomSolarize")
        .Within("threshold", solarize.threshold, 0, 255, "must be 0 to 255")
        .Probability(solarize.probability);
  }
  ParameterCheck operator()(const RandomAutocontrast& contrast) const {
    return ParameterCheck("RandomAutocontrast")
        .Probability(contrast.probability);
  }
  ParameterCheck operator()(const RandomEqualize& equalize) const {
    return ParameterCheck("RandomEqualize").Probability(equalize.probability);
  }
  ParameterCheck operator()(const RandomAdjustSharpness& sharpness) const {
    return ParameterCheck("RandomAdjustSharpness")
        .Within("factor", sharpness.factor, 0, 1e6, "must be 0 to 1e6")
        .Probability(sharpness.probability);
  }
  ParameterCheck operator()(const GaussianBlur& blur) const {
    return ParameterCheck("GaussianBlur")
        .Kernel("kernel_width", blur.kernel_width)
        .Kernel("kernel_height", blur.kernel_height)
        .Ascending("sigma", blur.sigma, {0.01, 1000},
                   "must be 0.01 to 1000, ascending")
        .Probability(blur.probability);
  }
  ParameterCheck operator()(const RandomErasing& erasing) const {
    return ParameterCheck("RandomErasing")
        .Ascending("scale", erasing.scale, {0, 1}, "must be 0 to 1, ascending")
        .Ascending("ratio", erasing.ratio, {1e-6, 1e6},
                   "must be 1e-6 to 1e6, ascending")
        .Probability(erasing.probability);
  }
  ParameterCheck operator()(const Cutout& cutout) const {
    return ParameterCheck("Cutout")
        .Within("side", cutout.side, 0, 65'535, "must be 0 to 65535")
        .Probability(cutout.probability);
  }
  ParameterCheck operator()(const Lighting& lighting) const {
    return ParameterCheck("Lighting")
        .Within("deviation", lighting.deviation, 0, 100, "must be 0 to 100")
        .Probability(lighting.probability);
  }
};

// One operation on one image.
struct Performer {
  RgbPixels image;
  OperationDraws draws;
  NeighborFilters& filters;

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
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Status status = std::visit(Checker(), operations[i]).status();
    if (!status.ok()) return status;
    if (i + 1 == operations.size()) break;
    if (!std::holds_alternative<Normalize>(operations[i])) continue;
    return Invalid(std::holds_alternative<Normalize>(operations.back())
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

void PixelPipeline::operator()(RgbPixels image, const SampleDraws& draws) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const OperationDraws own(draws, i);
    if (!Happens(operations_[i], own)) continue;
    std::visit(Performer{image, own, filters_}, operations_[i]);
  }
}

}  // namespace shardine
