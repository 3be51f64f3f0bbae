// How much each neighbour of a place between pixels counts, as OpenCV's
// interpolateLinear, interpolateCubic and interpolateLanczos4 have it
// (modules/imgproc/src/resize.cpp, imgwarp.cpp), float by float; compiled
// without fused multiply and add.
#ifndef SHARDINE_PIXELS_OPENCV_FACTORS_H_
#define SHARDINE_PIXELS_OPENCV_FACTORS_H_

#include <array>
#include <cstdint>

#include "pixels/opencv_filter.h"

namespace shardine {

// The first TapsOf(filter) count, others are 0.
using OpenCvFactors = std::array<float, 8>;

// Neighbours of an axis: 4 for cubic, 8 for Lanczos, else 2.
std::uint32_t TapsOf(OpenCvFilter filter);

// x: how far beyond the left one of the two middle neighbours; 0 to 1.
OpenCvFactors FactorsOf(OpenCvFilter filter, float x);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_FACTORS_H_
