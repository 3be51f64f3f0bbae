#include "load/augmenter.h"

#include <cmath>
#include <cstdint>

#include "load/affine_matrix.h"
#include "load/portable_angles.h"
#include "pixels/color_adjuster.h"
#include "pixels/tone_tables.h"

namespace shardine {
namespace {

using Kind = AugmentationKind;

void Adjust(RgbPixels image, ColorAdjustment::Kind kind, double magnitude) {
  const ColorAdjustment adjustment{kind, 1 + magnitude};
  AdjustColors(image, {&adjustment, 1});
}

}  // namespace

void Augmenter::operator()(const Augmentation& augmentation) const {
  if (Move(augmentation)) return;
  const auto& [kind, magnitude] = augmentation;
  switch (kind) {
    case Kind::kBrightness:
      return Adjust(image_, ColorAdjustment::Kind::kBrightness, magnitude);
    case Kind::kColor:
      return Adjust(image_, ColorAdjustment::Kind::kSaturation, magnitude);
    case Kind::kContrast:
      return Adjust(image_, ColorAdjustment::Kind::kContrast, magnitude);
    case Kind::kSharpness:
      return filters_.Sharpen(image_, 1 + magnitude);
    case Kind::kPosterize:
      return Posterize(image_, static_cast<std::uint32_t>(magnitude));
    case Kind::kSolarize:
      return Solarize(image_, 255 * magnitude);
    case Kind::kAutoContrast:
      return AutoContrast(image_);
    case Kind::kEqualize:
      return Equalize(image_);
    case Kind::kInvert:
      return Invert(image_);
    default:
      return;
  }
}

bool Augmenter::Move(const Augmentation& augmentation) const {
  const auto& [kind, magnitude] = augmentation;
  AffineParameters parameters;
  switch (kind) {
    case Kind::kShearX:
    case Kind::kShearY:
      parameters.shear[kind == Kind::kShearX ? 0 : 1] =
          Degrees(PortableAtan(magnitude));
      parameters.center = {-0.5 * image_.size.width, -0.5 * image_.size.height};
      break;
    case Kind::kTranslateX:
    case Kind::kTranslateY:
      parameters.translation[kind == Kind::kTranslateX ? 0 : 1] =
          std::trunc(magnitude);
      break;
    case Kind::kRotate:
      parameters.angle = -magnitude;
      break;
    default:
      return false;
  }
  sampler_(image_, InverseAffineMatrix(parameters), interpolation_, fill_);
  return true;
}

}  // namespace shardine
