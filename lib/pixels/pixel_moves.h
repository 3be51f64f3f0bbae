// Operations that move pixels or paint over them.
#ifndef SHARDINE_PIXELS_PIXEL_MOVES_H_
#define SHARDINE_PIXELS_PIXEL_MOVES_H_

#include <array>
#include <cstdint>

#include "base/geometry.h"
#include "pixels/pixels.h"

namespace shardine {

void FlipHorizontally(RgbPixels image);
void FlipVertically(RgbPixels image);
// REQUIRES: the region lies in the image; it may be empty.
void Paint(RgbPixels image, const Region& region,
           const std::array<std::uint8_t, 3>& color);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_PIXEL_MOVES_H_
