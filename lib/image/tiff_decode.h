// TIFF images by libtiff: header facts, and the pixels of the first page.
#ifndef SHARDINE_IMAGE_TIFF_DECODE_H_
#define SHARDINE_IMAGE_TIFF_DECODE_H_

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "image/probe.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// The first page, BigTIFF too. Samples of more than 16 bits, signed ones and
// fractions are kUnsupported, and so are rare
// compressions.
ProbeResult ProbeTiff(ByteView tiff);

// Gray or RGB of the first page, as stored: the orientation is the caller's.
// Samples of 16 bits give their high byte, gray ones too, where Pillow clips.
// Alpha is dropped; CMYK and YCbCr become RGB as libtiff has it. Failures as
// DecodeImage()'s.
Status DecodeTiff(ByteView tiff, const DecodeLimits& limits,
                  PixelBuffer& pixels);

// The same with samples of two bytes, the low one first: `pixels` has 2 or 6
// bytes a pixel as its channels. kUnsupported, too: a page of other than 16
// bits, or one whose color is not gray or RGB.
Status DecodeDeepTiff(ByteView tiff, const DecodeLimits& limits,
                      PixelBuffer& pixels);

// The color profile; empty: none.
ByteBuffer ReadTiffProfile(ByteView tiff);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_TIFF_DECODE_H_
