// cv::resize of OpenCV 4.9 and 3.4 for pixels of 8 bits, bit for bit, as its
// x86-64 builds compute it without Intel's IPP: fixed-point weights of 11 bits;
// the vertical pass of cubic in floats for each eight values of a row, the rest
// in integers; area in integers where both factors are whole, else in floats.
// No filter but area looks at more than its 2, 4 or 8 pixels of an axis,
// however much an image shrinks.
#ifndef SHARDINE_PIXELS_OPENCV_RESIZE_H_
#define SHARDINE_PIXELS_OPENCV_RESIZE_H_

#include <cstdint>

#include "pixels/opencv_axis.h"
#include "pixels/pixels.h"

namespace shardine {

// Whose cubic it is: 3.4 adds the four rows of its floats from the first to the
// last, 4 from the last to the first: a level in one value of 400,000.
enum class OpenCvRelease : std::uint8_t { k3, k4 };

// Fills `to`, whose size and channels are the target's. An image that keeps its
// size is copied. REQUIRES: no side is zero, as many channels in both.
void OpenCvResize(const PixelView& from, OpenCvFilter filter, PixelBuffer& to,
                  OpenCvRelease release = OpenCvRelease::k4);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_OPENCV_RESIZE_H_
