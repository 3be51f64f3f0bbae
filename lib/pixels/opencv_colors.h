// Colors in OpenCV 3.4's arithmetic, bit for bit as its x86-64 builds compute
// it without Intel's IPP; the folder is compiled without fused multiply and
// add.
#ifndef SHARDINE_PIXELS_OPENCV_COLORS_H_
#define SHARDINE_PIXELS_OPENCV_COLORS_H_

#include <array>
#include <cstdint>

#include "pixels/pixels.h"

namespace shardine {

// cv::Mat::convertTo: v scale + shift, rounded to the nearest, halves to even,
// clamped. REQUIRES: |255 scale + shift| < 2^31, as below.
void ScaleAndShift(RgbPixels image, float scale, float shift);

// The mean of cv::cvtColor(COLOR_RGB2GRAY) of an image whose channels are the
// other way round, which ImageRecordIter takes: red has the weight of blue.
float MeanOfSwappedGray(RgbPixels image);

// cv::addWeighted of the image and that gray: v share + gray rest.
void BlendWithSwappedGray(RgbPixels image, float share, float rest);

// v + c, truncated towards 0, then clamped.
void AddTruncated(RgbPixels image, const std::array<float, 3>& color);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_COLORS_H_
