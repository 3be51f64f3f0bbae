// Brightness, contrast, saturation, hue and gray, in the arithmetic that
// shardine/pixel_operations.h promises, the same at every SimdLevel.
#ifndef SHARDINE_PIXELS_COLOR_ADJUSTER_H_
#define SHARDINE_PIXELS_COLOR_ADJUSTER_H_

#include <cstdint>
#include <span>

#include "pixels/pixels.h"

namespace shardine {

struct ColorAdjustment {
  enum class Kind : std::uint8_t {
    kBrightness,
    kContrast,
    kSaturation,
    kHue,   // factor: of a turn
    kGray,  // no factor
  };
  Kind kind = Kind::kGray;
  double factor = 0;
};

// One after the other, in as few passes as their arithmetic allows: one, and
// another one for each contrast, which needs the mean of all. REQUIRES: factors
// are within 1e6 of 0, those of hue from -0.5 to 0.5.
void AdjustColors(RgbPixels image,
                  std::span<const ColorAdjustment> adjustments);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_COLOR_ADJUSTER_H_
