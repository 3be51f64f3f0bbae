// PNG by libpng: the same pixels and options give the same bytes (of one libpng
// and zlib version).
#ifndef SHARDINE_IMAGE_PNG_ENCODE_H_
#define SHARDINE_IMAGE_PNG_ENCODE_H_

#include <cstdint>

#include "base/bytes.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

struct PngEncodeOptions {
  std::uint32_t level = 6;  // of deflate, 1 to 9
  // Profile for an iCCP chunk; left out unless it is one for such pixels, as
  // IccProfileFits says.
  ByteView icc = {};
  std::uint8_t orientation = 0;  // EXIF, 1..8; 0: none is stated
  // Bits of a channel: 8, or 16. Then pixels have two bytes of each channel,
  // the low one first, and PixelView::channels counts bytes.
  std::uint8_t bits = 8;
};

// Appends a whole PNG (gray or RGB, no other metadata) to `out`, which is as it
// was after an error. Each row's filter is the one whose output has the
// least sum of absolute values. kUnsupported: a side of zero or of more than
// 2^31 - 1 pixels.
Status EncodePng(const PixelView& pixels, const PngEncodeOptions& options,
                 ByteBuffer& out);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_ENCODE_H_
