// Makes small WebP, GIF, BMP and TIFF images, by the libraries that write them
// or byte by byte.
#ifndef SHARDINE_TESTS_SUPPORT_STILL_IMAGES_H_
#define SHARDINE_TESTS_SUPPORT_STILL_IMAGES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pixels/pixels.h"

namespace shardine {

// Lossy below a quality of 101, else lossless.
std::string MakeWebp(const PixelView& rgb, float quality = 101);
// With EXIF that states the orientation.
std::string WithWebpOrientation(std::string_view webp, PixelSize size,
                                std::uint8_t orientation);
// An animation of one frame at (x, y) of a canvas.
std::string MakeWebpAnimation(std::string_view frame, PixelSize frame_size,
                              PixelSize canvas, std::uint32_t x,
                              std::uint32_t y);

struct GifSpec {
  PixelSize canvas = {7, 5};
  std::uint32_t left = 0;
  std::uint32_t top = 0;
  PixelSize frame = {7, 5};
  bool interlaced = false;
  bool local_palette = false;
  int transparent = -1;
  std::uint32_t frames = 1;
};
// Index (x + 3 y) % 16 into a palette of color i = (i * 16, 255 - i, i * i).
std::string MakeGif(const GifSpec& spec = {});

// 24 bits a pixel, from the last row to the first.
std::string MakeBmp(const PixelView& rgb);

struct TiffSpec {
  PixelSize size = {19, 13};
  std::uint16_t bits = 8;
  std::uint16_t samples = 3;
  std::uint16_t photometric = 2;  // RGB
  std::uint16_t compression = 1;
  std::uint16_t planes = 1;
  std::uint16_t format = 1;
  std::uint16_t orientation = 1;
  std::uint32_t tile = 0;  // its side; 0: strips of 4 rows
  bool big_endian = false;
  bool big_tiff = false;
};
// The sample at (x, y, channel).
std::uint32_t TiffSampleAt(const TiffSpec& spec, std::uint32_t x,
                           std::uint32_t y, std::uint16_t channel);
std::string MakeTiff(const TiffSpec& spec = {});

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_STILL_IMAGES_H_
