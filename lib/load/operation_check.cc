#include "load/operation_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

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
  ParameterCheck& Degrees(const char* name, const DrawnRange& range) {
    return Ascending(name, range, {-36'000, 36'000},
                     "must be -36000 to 36000, ascending");
  }
  ParameterCheck& Scale(const DrawnRange& range) {
    return Ascending("scale", range, {1e-3, 1e3},
                     "must be 0.001 to 1000, ascending");
  }
  ParameterCheck& Shear(const char* name, const DrawnRange& range) {
    return Ascending(name, range, {-89, 89}, "must be -89 to 89, ascending");
  }
  ParameterCheck& Factor(const char* name, const DrawnRange& range) {
    return Ascending(name, range, {-1e6, 1e6},
                     "must be -1e6 to 1e6, ascending");
  }
  ParameterCheck& Shift(const char* name, const WholeRange& range) {
    return Require(
        range[0] >= -65'535 && range[0] <= range[1] && range[1] <= 65'535, name,
        "must be -65535 to 65535, ascending");
  }
  ParameterCheck& Finite(const char* name, float value) {
    return Require(std::isfinite(value), name, "must be finite");
  }
  ParameterCheck& Bins(std::uint32_t value) {
    return Within("num_magnitude_bins", value, 2, 65'535, "must be 2 to 65535");
  }
  ParameterCheck& Probability(double value) {
    return Within("probability", value, 0, 1, "must be 0 to 1");
  }
  ParameterCheck& IsSet(const char* name, bool is) {
    return Require(is, name, "must be given");
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
  ParameterCheck operator()(const TransformFunction& each) const {
    return ParameterCheck("TransformFunction")
        .IsSet("function", each.function != nullptr)
        .Probability(each.probability);
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
  ParameterCheck operator()(const Affine& affine) const {
    return ParameterCheck("Affine")
        .Degrees("angle", {affine.angle, affine.angle})
        .Scale({affine.scale, affine.scale})
        .Shear("shear", {affine.shear[0], affine.shear[0]})
        .Shear("shear", {affine.shear[1], affine.shear[1]})
        .Probability(affine.probability);
  }
  ParameterCheck operator()(const RandomAffine& affine) const {
    constexpr const char* kShares = "must be 0 to 1";
    return ParameterCheck("RandomAffine")
        .Degrees("degrees", affine.degrees)
        .Within("translate", affine.translate[0], 0, 1, kShares)
        .Within("translate", affine.translate[1], 0, 1, kShares)
        .Scale(affine.scale)
        .Shear("shear", affine.shear_x)
        .Shear("shear", affine.shear_y)
        .Probability(affine.probability);
  }
  ParameterCheck operator()(const RandomRotation& rotation) const {
    return ParameterCheck("RandomRotation")
        .Degrees("degrees", rotation.degrees)
        .Probability(rotation.probability);
  }
  ParameterCheck operator()(const TrivialAugmentWide& policy) const {
    return ParameterCheck("TrivialAugmentWide").Bins(policy.num_magnitude_bins);
  }
  ParameterCheck operator()(const RandAugment& policy) const {
    return ParameterCheck("RandAugment")
        .Within("num_ops", policy.num_ops, 0, 255, "must be 0 to 255")
        .Bins(policy.num_magnitude_bins)
        .Within("magnitude", policy.magnitude, 0,
                policy.num_magnitude_bins - 1.0,
                "must be less than num_magnitude_bins");
  }
  ParameterCheck operator()(const AutoAugment&) const {
    return ParameterCheck("AutoAugment");
  }
  ParameterCheck operator()(const ImageRecordJitter& jitter) const {
    return ParameterCheck("ImageRecordJitter")
        .Factor("brightness", jitter.brightness)
        .Factor("contrast", jitter.contrast)
        .Factor("saturation", jitter.saturation);
  }
  ParameterCheck operator()(const RandomHls& hls) const {
    return ParameterCheck("RandomHls")
        .Shift("h", hls.h)
        .Shift("s", hls.s)
        .Shift("l", hls.l);
  }
  ParameterCheck operator()(const PcaNoise& noise) const {
    return ParameterCheck("PcaNoise")
        .Within("deviation", noise.deviation, 0, 100, "must be 0 to 100");
  }
  ParameterCheck operator()(const ImageRecordNormalize& normalize) const {
    ParameterCheck check("ImageRecordNormalize");
    for (const float mean : normalize.mean) check.Finite("mean", mean);
    for (const float std : normalize.std) {
      // The reciprocal of a subnormal number may be infinite.
      check.Within("std", std::isnormal(std) ? 1 : 0, 1, 1,
                   "must be finite and not 0");
    }
    return check.Finite("scale", normalize.scale)
        .Finite("max_contrast", normalize.max_contrast)
        .Finite("max_illumination", normalize.max_illumination);
  }
};

}  // namespace

Status CheckOperation(const PixelOperation& operation) {
  return std::visit(Checker(), operation).status();
}

}  // namespace shardine
