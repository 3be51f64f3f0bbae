// OpenCV's hue, lightness and saturation of bytes (modules/imgproc/src/
// color_hsv.cpp of 3.4, RGB2HLS_b and HLS2RGB_b), bit for bit as its x86-64
// builds compute it; the folder is compiled without fused multiply and add.
#ifndef SHARDINE_PIXELS_OPENCV_HLS_H_
#define SHARDINE_PIXELS_OPENCV_HLS_H_

#include <cstdint>

#include "pixels/pixels.h"

namespace shardine {

struct HlsShift {
  std::int32_t h = 0;
  std::int32_t l = 0;
  std::int32_t s = 0;
};

// To HLS, h (0 to 180), l and s (0 to 255) each plus its number and clamped,
// and back. Adding nothing also changes pixels, since HLS has bytes, too.
// REQUIRES: |each| <= 2^30.
void ShiftHls(RgbPixels image, const HlsShift& shift);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_HLS_H_
