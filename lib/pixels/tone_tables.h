// Operations that map each byte to another, by channel, in the arithmetic of
// shardine/pixel_operations.h.
#ifndef SHARDINE_PIXELS_TONE_TABLES_H_
#define SHARDINE_PIXELS_TONE_TABLES_H_

#include <array>
#include <cstdint>

#include "pixels/pixels.h"

namespace shardine {

void Invert(RgbPixels image);
// REQUIRES: bits <= 8.
void Posterize(RgbPixels image, std::uint32_t bits);
void Solarize(RgbPixels image, double threshold);
void AutoContrast(RgbPixels image);
void Equalize(RgbPixels image);
// To each value of a channel its number, rounded to the nearest, halves to
// even. REQUIRES: they are finite.
void AddColor(RgbPixels image, const std::array<double, 3>& color);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_TONE_TABLES_H_
