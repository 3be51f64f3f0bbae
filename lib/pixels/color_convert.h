// From the colors that a file stores to those that are asked for, as Pillow
// computes them (src/libImaging/Convert.c). Pixels are 8 bits per channel,
// interleaved; `from` and `to` do not overlap.
#ifndef SHARDINE_PIXELS_COLOR_CONVERT_H_
#define SHARDINE_PIXELS_COLOR_CONVERT_H_

#include <cstddef>
#include <cstdint>

namespace shardine {

// Three equal channels.
void GrayToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);

// ITU-R 601-2 luma: (R * 19595 + G * 38470 + B * 7471 + 2^15) >> 16.
void RgbToGray(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);

// Of Adobe's inverted kind: C * K / 255, rounded, and so on.
void CmykToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_COLOR_CONVERT_H_
