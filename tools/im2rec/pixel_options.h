// The changes to pixels before an image is packed, in terms of both originals.
#ifndef SHARDINE_IM2REC_PIXEL_OPTIONS_H_
#define SHARDINE_IM2REC_PIXEL_OPTIONS_H_

#include <cstdint>

#include "pixels/opencv_axis.h"
#include "pixels/pixels.h"
#include "shardine/image.h"

namespace shardine {

// im2rec.cc's inter_method.
enum class InterMethod : std::uint8_t {
  kNearest = 0,
  kBilinear = 1,
  kBicubic = 2,
  kArea = 3,
  kLanczos = 4,
  kAuto = 9,     // bicubic if both sides grow, area if both shrink, else
                 // bilinear
  kRandom = 10,  // one of the first five for each record
};

// Whose filters change the size, and whose weights make gray of colors.
enum class PixelRule : std::uint8_t {
  kPillow,  // filters that are widened where an image shrinks
  kOpenCv,  // those of the originals, bit for bit
};

struct PixelOptions {
  std::uint32_t short_side = 0;  // pixels; 0: images keep their size
  bool center_crop = false;
  int color = 1;  // 1 color, 0 gray, -1 as it is
  Encoding encoding = Encoding::kJpeg;
  std::uint32_t quality = 95;   // of JPEG
  std::uint32_t png_level = 3;  // of deflate
  InterMethod inter_method = InterMethod::kBilinear;
  PixelRule rule = PixelRule::kPillow;
};

// Which of the first five brings an image of size `from` to `to`. kRandom:
// drawn by a fixed seed and the id, so that the same list gives the same
// records.
InterMethod ChooseMethod(InterMethod method, PixelSize from, PixelSize to,
                         std::uint64_t id);

// The filter of one of the first five.
Filter PillowFilterOf(InterMethod method);
OpenCvFilter OpenCvFilterOf(InterMethod method);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_PIXEL_OPTIONS_H_
