// The eight EXIF orientations (tag 0x0112), undone.
#ifndef SHARDINE_PIXELS_ORIENTATION_H_
#define SHARDINE_PIXELS_ORIENTATION_H_

#include <cstdint>

#include "pixels/pixels.h"

namespace shardine {

// True if width and height change places.
bool SwapsSides(std::uint8_t orientation);

// Turns and mirrors `pixels` so that they are upright, as Pillow's
// ImageOps.exif_transpose does. 0 and 1 copy. REQUIRES: orientation <= 8.
void ApplyOrientation(const PixelView& pixels, std::uint8_t orientation,
                      PixelBuffer& upright);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_ORIENTATION_H_
