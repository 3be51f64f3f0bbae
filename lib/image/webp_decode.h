// WebP images by libwebp: header facts, and the pixels of a region.
#ifndef SHARDINE_IMAGE_WEBP_DECODE_H_
#define SHARDINE_IMAGE_WEBP_DECODE_H_

#include <string_view>

#include "base/bytes.h"
#include "base/geometry.h"
#include "image/decode_limits.h"
#include "image/probe.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// 3 components, or 4 with alpha; the size of an animation is its canvas's.
ProbeResult ProbeWebp(ByteView webp);

// The bytes of the first chunk of that name ("ICCP", "EXIF"); empty: none.
// REQUIRES: the bytes begin as a WebP.
ByteView FindWebpChunk(ByteView webp, std::string_view name);

// RGB of the region, a view into `memory`, from the first frame of an
// animation on a black canvas. Alpha is dropped, as Pillow's convert("RGB")
// does. Rows below the region are not decoded. Failures as DecodeImage()'s;
// kInvalidArgument: the region is empty or not in the image.
Result<PixelView> DecodeWebp(ByteView webp, const Region& region,
                             const DecodeLimits& limits, PixelBuffer& memory);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_WEBP_DECODE_H_
