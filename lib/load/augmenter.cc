#include "load/augmenter.h"

#include <cmath>
#include <cstdint>

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

void AugmentValues(RgbPixels image, const Augmentation& augmentation,
                   NeighborFilters& filters) {
  const auto& [kind, magnitude] = augmentation;
  switch (kind) {
    case Kind::kBrightness:
      return Adjust(image, ColorAdjustment::Kind::kBrightness, magnitude);
    case Kind::kColor:
      return Adjust(image, ColorAdjustment::Kind::kSaturation, magnitude);
    case Kind::kContrast:
      return Adjust(image, ColorAdjustment::Kind::kContrast, magnitude);
    case Kind::kSharpness:
      return filters.Sharpen(image, 1 + magnitude);
    case Kind::kPosterize:
      return Posterize(image, static_cast<std::uint32_t>(magnitude));
    case Kind::kSolarize:
      return Solarize(image, 255 * magnitude);
    case Kind::kAutoContrast:
      return AutoContrast(image);
    case Kind::kEqualize:
      return Equalize(image);
    case Kind::kInvert:
      return Invert(image);
    default:
      return;
  }
}

std::optional<AffineParameters> MovementOf(const Augmentation& augmentation,
                                           PixelSize size) {
  const auto& [kind, magnitude] = augmentation;
  AffineParameters parameters;
  switch (kind) {
    case Kind::kShearX:
    case Kind::kShearY:
      parameters.shear[kind == Kind::kShearX ? 0 : 1] =
          Degrees(PortableAtan(magnitude));
      parameters.center = {-0.5 * size.width, -0.5 * size.height};
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
      return std::nullopt;
  }
  return parameters;
}

}  // namespace shardine
