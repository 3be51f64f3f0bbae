// The tables of cv::remap (modules/imgproc/src/imgwarp.cpp, initInterTab2D):
// how much each neighbour counts, by the place between the middle ones.
#ifndef SHARDINE_PIXELS_OPENCV_WARP_WEIGHTS_H_
#define SHARDINE_PIXELS_OPENCV_WARP_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pixels/opencv_filter.h"

namespace shardine {

class OpenCvWarpWeights {
 public:
  static constexpr int kPlaceBits = 5;  // a pixel has 32 places each way
  static constexpr std::uint32_t kPlaces = 1 << kPlaceBits;
  static constexpr int kBits = 15;  // the sum is 2^15

  // kLinear, kCubic or kLanczos4: made at the first use, then kept.
  // Thread-safe.
  static const OpenCvWarpWeights& For(OpenCvFilter filter);

  std::uint32_t taps() const { return taps_; }
  // taps x taps numbers, rows from the top. REQUIRES: x, y < kPlaces.
  const std::int16_t* At(std::uint32_t x, std::uint32_t y) const {
    return weights_.data() + (std::size_t{y} * kPlaces + x) * taps_ * taps_;
  }

 private:
  explicit OpenCvWarpWeights(OpenCvFilter filter);

  std::uint32_t taps_;
  std::vector<std::int16_t> weights_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_WARP_WEIGHTS_H_
