// One axis of a resize by OpenCV: which source pixels make an output pixel, and
// with which weights. The arithmetic of cv::resize (modules/imgproc/src/
// resize.cpp of OpenCV 4.9), float by float and double by double; compiled
// without fused multiply and add.
#ifndef SHARDINE_PIXELS_OPENCV_AXIS_H_
#define SHARDINE_PIXELS_OPENCV_AXIS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pixels/opencv_filter.h"

namespace shardine {

// Windows of the same length, whatever the scale: 2 pixels for linear (and area
// where an axis grows), 4 for cubic, 8 for Lanczos.
struct OpenCvAxis {
  static constexpr int kWeightBits = 11;
  static constexpr int kMaxTaps = 8;
  using Weights = std::array<std::int16_t, kMaxTaps>;
  using Sources = std::array<std::uint32_t, kMaxTaps>;

  // The source pixels of an output pixel; beyond the ends, the outermost.
  struct Window {
    Sources sources{};
    Weights weights{};
  };

  std::uint32_t taps = 0;
  std::vector<Window> windows;
};

enum class OpenCvDirection : std::uint8_t { kAcross, kDown };

// REQUIRES: neither size is zero, the filter is not kNearest.
OpenCvAxis MakeOpenCvAxis(std::uint32_t in, std::uint32_t out,
                          OpenCvFilter filter, OpenCvDirection direction);

// Source pixel of each output pixel.
std::vector<std::uint32_t> OpenCvNearest(std::uint32_t in, std::uint32_t out);

// The part that a source pixel has in an output pixel of an area resize.
struct OpenCvShare {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  float weight = 0;
};

// In the order in which they are added up. REQUIRES: 0 < out <= in.
std::vector<OpenCvShare> OpenCvShares(std::uint32_t in, std::uint32_t out);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_AXIS_H_
