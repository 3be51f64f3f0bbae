// BMP images: header facts by our own look at the header, pixels by stb_image.
#ifndef SHARDINE_IMAGE_BMP_DECODE_H_
#define SHARDINE_IMAGE_BMP_DECODE_H_

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "image/probe.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// Run-length coded BMPs and headers of OS/2 2 are kUnsupported. Three
// components, whatever the palette is.
ProbeResult ProbeBmp(ByteView bmp);

// RGB; alpha is dropped. Samples of 5 and 6 bits are widened by repeating their
// high bits, one level off Pillow's for some. Failures as DecodeImage()'s.
Status DecodeBmp(ByteView bmp, const DecodeLimits& limits, PixelBuffer& pixels);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_BMP_DECODE_H_
