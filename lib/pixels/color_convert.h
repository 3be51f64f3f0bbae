// From the colors that a file stores to those that are asked for, as Pillow
// computes them (src/libImaging/Convert.c) or, where the name says so, OpenCV
// 4 (modules/imgcodecs: utils.cpp, and libpng). Pixels are 8 bits per channel,
// interleaved; `from` and `to` do not overlap.
#ifndef SHARDINE_PIXELS_COLOR_CONVERT_H_
#define SHARDINE_PIXELS_COLOR_CONVERT_H_

#include <cstddef>
#include <cstdint>

namespace shardine {

// Three equal channels.
void GrayToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);

// The fourth channel is left out, whatever it says.
void RgbaToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);

// ITU-R 601-2 luma: (R * 19595 + G * 38470 + B * 7471 + 2^15) >> 16.
void RgbToGray(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);

// Takes CMYK of Adobe's inverted kind: C * K / 255, rounded, and so on.
void CmykToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);

// K - ((255 - C) * K >> 8), and so on: up to 2 levels from the above.
void OpenCvCmykToRgb(const std::uint8_t* from, std::uint8_t* to,
                     std::size_t pixels);
// (R * 9797 + G * 19234 + B * 3737) >> 15: png_set_rgb_to_gray(0.299, 0.587).
void OpenCvRgbToGray(const std::uint8_t* from, std::uint8_t* to,
                     std::size_t pixels);
// The RGB above by (R * 4899 + G * 9617 + B * 1868 + 2^13) >> 14.
void OpenCvCmykToGray(const std::uint8_t* from, std::uint8_t* to,
                      std::size_t pixels);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_COLOR_CONVERT_H_
