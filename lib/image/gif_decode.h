// GIF images by giflib: header facts, and the pixels of the first frame.
#ifndef SHARDINE_IMAGE_GIF_DECODE_H_
#define SHARDINE_IMAGE_GIF_DECODE_H_

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "image/probe.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// The canvas, or more where the first frame is larger; 3 components. Looks no
// further than the end of the first frame.
ProbeResult ProbeGif(ByteView gif);

// RGB of the first frame on the canvas, whose other pixels have the transparent
// color or else the first one, as Pillow's convert("RGB") has them. A frame
// without a palette is gray. Later frames are not looked at. Failures as
// DecodeImage()'s.
Status DecodeGif(ByteView gif, const DecodeLimits& limits, PixelBuffer& pixels);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_GIF_DECODE_H_
