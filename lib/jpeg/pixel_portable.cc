#include <algorithm>

#include "jpeg/pixel_kernels.h"

namespace shardine {
namespace {

std::uint8_t Clamp(int value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}

void PutPixel(int y, int cb, int cr, std::uint8_t* rgb) {
  const int u = 2 * (cb - 128);
  const int v = 2 * (cr - 128);
  rgb[0] = Clamp(y + ((v * kRedCr + (1 << 14)) >> 15));
  rgb[1] = Clamp(y + ((u * kGreenCb + v * kGreenCr + (1 << 15)) >> 16));
  rgb[2] = Clamp(y + ((u * kBlueCb + (1 << 14)) >> 15));
}

void AddRows(const std::uint8_t* near, const std::uint8_t* far,
             std::size_t count, std::int16_t* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] = static_cast<std::int16_t>(3 * near[i] + far[i]);
  }
}

void BlendRows(const std::uint8_t* near, const std::uint8_t* far,
               std::int16_t bias, std::size_t count, std::uint8_t* samples) {
  for (std::size_t i = 0; i < count; ++i) {
    samples[i] = static_cast<std::uint8_t>((3 * near[i] + far[i] + bias) >> 2);
  }
}

void Convert(const YccRow& row, std::size_t count, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < count; ++i, rgb += 3) {
    PutPixel(row.y[i], row.cb[i], row.cr[i], rgb);
  }
}

void ConvertHalf(const HalfYccRow& row, std::size_t count, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < count; ++i, rgb += 3) {
    const std::size_t at = i + (row.starts_right ? 1 : 0);
    const bool right = at % 2 != 0;
    const std::ptrdiff_t near = static_cast<std::ptrdiff_t>(at / 2);
    const std::ptrdiff_t far = right ? near + 1 : near - 1;
    const int bias = right ? row.right_bias : row.left_bias;
    PutPixel(row.y[i], (3 * row.cb[near] + row.cb[far] + bias) >> 4,
             (3 * row.cr[near] + row.cr[far] + bias) >> 4, rgb);
  }
}

}  // namespace

PixelKernels PortablePixelKernels() {
  return {&AddRows, &BlendRows, &Convert, &ConvertHalf};
}

}  // namespace shardine
