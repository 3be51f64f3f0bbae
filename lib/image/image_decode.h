// From the bytes of an image to gray or RGB pixels, as Pillow 13's
// convert("RGB") has them. For one image; for many, image_decoder.h.
#ifndef SHARDINE_IMAGE_IMAGE_DECODE_H_
#define SHARDINE_IMAGE_IMAGE_DECODE_H_

#include <vector>

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "pixels/color_rules.h"
#include "pixels/pixels.h"
#include "pixels/row_sink.h"
#include "shardine/image.h"
#include "shardine/status.h"

namespace shardine {

struct ImageDecodeOptions {
  DecodeLimits limits = {};
  // kKeep: sources of one gray channel (PNG: with or without alpha, of any
  // depth) give one channel, all others three.
  ColorMode color = ColorMode::kKeep;
  // Pixels are turned as the EXIF orientation says. The whole image is then
  // held in memory (twice), as it is (once) for interlaced PNGs; otherwise a
  // few rows are.
  bool apply_exif = false;
  // As ColorTarget's: OpenCV's pixels in place of Pillow's.
  ColorRule samples = ColorRule::kPillow;
  ColorRule gray = ColorRule::kPillow;

  ColorTarget color_target() const {
    return {.mode = color, .samples = samples, .gray = gray};
  }
};

// JPEG: as libjpeg-turbo with the accurate integer IDCT and fancy upsampling;
// CMYK and YCCK are taken for Adobe's inverted kind, as Pillow does. PNG: all
// types; 16-bit RGB and gray with alpha give the high byte, 16-bit gray is
// clipped to 255, alpha and transparent colors are dropped, gamma is ignored;
// chunks are checked as strictly as png_stream.h says. WebP, GIF, BMP and TIFF:
// as webp_decode.h and its like say.
//
// Returns libjpeg's warnings; none for PNG. kCorrupt: cannot be decoded, with
// the byte where it is known. kUnsupported: another kind of image, or one
// beyond the limits. The sink may have had rows by then; if it is begun again,
// all rows come again.
Result<std::vector<DecodeWarning>> DecodeImage(
    ByteView image, const ImageDecodeOptions& options, RowSink& sink);

// The same into memory. After a failure `pixels` are undefined.
Result<std::vector<DecodeWarning>> DecodeImage(
    ByteView image, const ImageDecodeOptions& options, PixelBuffer& pixels);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_IMAGE_DECODE_H_
