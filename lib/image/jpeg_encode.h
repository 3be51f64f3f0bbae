// Baseline JPEG by libjpeg-turbo: the same pixels and options give the same
// bytes (of one libjpeg-turbo version).
#ifndef SHARDINE_IMAGE_JPEG_ENCODE_H_
#define SHARDINE_IMAGE_JPEG_ENCODE_H_

#include <cstdint>

#include "base/bytes.h"
#include "pixels/pixels.h"
#include "shardine/image.h"
#include "shardine/status.h"

namespace shardine {

struct JpegEncodeOptions {
  std::uint32_t quality = 90;                   // 1 to 100, libjpeg's scale
  Subsampling subsampling = Subsampling::k420;  // of RGB
  // Two passes with Huffman tables of the image's own, instead of the standard
  // ones of ITU-T T.81 annex K.
  bool optimize = false;
  // Profile for APP2 segments; left out unless it is one for such pixels, as
  // IccProfileFits says.
  ByteView icc = {};
  std::uint8_t orientation = 0;  // EXIF, 1..8; 0: none is stated
};

// Appends a whole JPEG (JFIF, no other metadata) to `out`, which is as it was
// after an error. kUnsupported: a side of zero or of more than 65,500 pixels.
Status EncodeJpeg(const PixelView& pixels, const JpegEncodeOptions& options,
                  ByteBuffer& out);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_ENCODE_H_
