// The arithmetic that brings stored samples to gray or RGB of 8 bits: Pillow's
// or OpenCV's.
#ifndef SHARDINE_PIXELS_COLOR_RULES_H_
#define SHARDINE_PIXELS_COLOR_RULES_H_

#include <cstdint>

#include "shardine/image.h"

namespace shardine {

enum class ColorRule : std::uint8_t {
  kPillow,  // convert("RGB") and convert("L")
  kOpenCv,  // imread() of OpenCV 4, as IMREAD_COLOR and IMREAD_GRAYSCALE
};

struct ColorTarget {
  ColorMode mode = ColorMode::kKeep;
  // For 16-bit gray (Pillow clips at 255, OpenCV takes the high byte) and CMYK.
  ColorRule samples = ColorRule::kPillow;
  // For colors that are wanted as gray (Pillow weighs RGB; OpenCV takes the
  // luma of a JPEG and weighs the RGB of a PNG as libpng does).
  ColorRule gray = ColorRule::kPillow;

  // The luma of a JPEG, without its way over RGB.
  bool wants_luma() const {
    return mode == ColorMode::kGray && gray == ColorRule::kOpenCv;
  }
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_COLOR_RULES_H_
