#include "pixels/color_convert.h"

namespace shardine {
namespace {

// Pillow inverts to the usual CMYK first and multiplies then, which comes to
// the same: (255 - x) * k / 255 never lies half way between two integers.
std::uint8_t Scale(std::uint32_t value, std::uint32_t by) {
  const std::uint32_t product = value * by + 128;
  return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

std::uint8_t OpenCvScale(std::uint32_t value, std::uint32_t by) {
  return static_cast<std::uint8_t>(by - ((255 - value) * by >> 8));
}

}  // namespace

void GrayToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, to += 3) {
    to[0] = to[1] = to[2] = from[i];
  }
}

void RgbaToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, from += 4, to += 3) {
    for (int c = 0; c < 3; ++c) to[c] = from[c];
  }
}

void RgbToGray(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, from += 3) {
    const std::uint32_t sum =
        from[0] * 19595U + from[1] * 38470U + from[2] * 7471U;
    to[i] = static_cast<std::uint8_t>((sum + 0x8000) >> 16);
  }
}

void CmykToRgb(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, from += 4, to += 3) {
    for (int c = 0; c < 3; ++c) to[c] = Scale(from[c], from[3]);
  }
}

void OpenCvCmykToRgb(const std::uint8_t* from, std::uint8_t* to,
                     std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, from += 4, to += 3) {
    for (int c = 0; c < 3; ++c) to[c] = OpenCvScale(from[c], from[3]);
  }
}

void OpenCvRgbToGray(const std::uint8_t* from, std::uint8_t* to,
                     std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, from += 3) {
    to[i] = static_cast<std::uint8_t>(
        (from[0] * 9797U + from[1] * 19234U + from[2] * 3737U) >> 15);
  }
}

void OpenCvCmykToGray(const std::uint8_t* from, std::uint8_t* to,
                      std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i, from += 4) {
    std::uint8_t rgb[3];
    OpenCvCmykToRgb(from, rgb, 1);
    to[i] = static_cast<std::uint8_t>(
        (rgb[0] * 4899U + rgb[1] * 9617U + rgb[2] * 1868U + 0x2000) >> 14);
  }
}

}  // namespace shardine
