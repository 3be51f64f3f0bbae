// cv::warpAffine of OpenCV 3 and of 4 up to 4.10 for pixels of 8 bits and a
// border of one color, bit for bit: places in fixed point, of a 32nd of a
// pixel, and weights of 15 bits (modules/imgproc/src/imgwarp.cpp).
#ifndef SHARDINE_PIXELS_OPENCV_WARP_H_
#define SHARDINE_PIXELS_OPENCV_WARP_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/geometry.h"
#include "pixels/opencv_filter.h"
#include "pixels/pixels.h"

namespace shardine {

// The pixel (x, y) of the source goes to (m[0] x + m[1] y + m[2],
// m[3] x + m[4] y + m[5]): CV_32F, as cv::warpAffine is given it.
using OpenCvMatrix = std::array<float, 6>;

// Bounds each side, source and target: OpenCV has 16 bits for a place.
inline constexpr std::uint32_t kMaxWarpSide = 32'766;

// Writes `part` of the target, rows `stride` bytes apart; all channels beyond
// the source are `fill`. Area is linear, as there. REQUIRES: three channels;
// sides within kMaxWarpSide, no side of the source 0.
void OpenCvWarp(const PixelView& from, const OpenCvMatrix& matrix,
                OpenCvFilter filter, std::uint8_t fill, const Region& part,
                std::uint8_t* out, std::size_t stride);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_WARP_H_
