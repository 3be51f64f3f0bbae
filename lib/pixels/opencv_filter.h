// OpenCvFilter: how OpenCV makes pixels of those around them.
#ifndef SHARDINE_PIXELS_OPENCV_FILTER_H_
#define SHARDINE_PIXELS_OPENCV_FILTER_H_

#include <cstdint>

namespace shardine {

// The values of `interpolation` of cv::resize and `flags` of cv::warpAffine.
enum class OpenCvFilter : std::uint8_t {
  kNearest,   // INTER_NEAREST
  kLinear,    // INTER_LINEAR
  kCubic,     // INTER_CUBIC
  kArea,      // INTER_AREA
  kLanczos4,  // INTER_LANCZOS4
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_FILTER_H_
