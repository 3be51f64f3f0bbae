// The images that libraries decode: WebP, GIF, BMP and TIFF. Header facts, and
// the pixels of a whole image or of a region.
#ifndef SHARDINE_IMAGE_LIBRARY_IMAGE_H_
#define SHARDINE_IMAGE_LIBRARY_IMAGE_H_

#include <cstdint>

#include "base/bytes.h"
#include "base/geometry.h"
#include "image/decode_limits.h"
#include "image/image_facts.h"
#include "image/probe.h"
#include "pixels/color_rules.h"
#include "pixels/pixels.h"
#include "pixels/row_sink.h"
#include "shardine/status.h"

namespace shardine {

// Whether the functions below take images of this kind.
bool IsLibraryKind(ImageKind kind);

// As ProbeImage(). REQUIRES: IsLibraryKind(kind), which the bytes begin as.
ProbeResult ProbeLibraryImage(ByteView image, ImageKind kind);

// A region of an image, and its color. The limits on inflated bytes of PNGs
// hold for the bytes of all pixels, as stored.
struct LibraryDecode {
  ImageKind kind = ImageKind::kUnknown;
  Region region = {};
  DecodeLimits limits = {};
  ColorTarget color = {};
};

// The rows of the region, gray or RGB. A WebP is decoded no further than the
// region's last row, the other kinds whole. `memory` is kept between images.
//
// kCorrupt: the pixels cannot be decoded. kUnsupported: a form of the kind that
// is not decoded, or an image beyond the limits. The sink has had no rows then.
Status DecodeLibraryImage(ByteView image, const LibraryDecode& what,
                          PixelBuffer& memory, RowSink& sink);

// kUnsupported: more pixels, or bytes of them at `pixel_bytes` each, than the
// limits grant for a file of `file_bytes`; or `memory_bytes` for each pixel are
// more than may be allocated.
struct PixelCost {
  std::uint64_t pixel_bytes = 3;
  std::uint64_t memory_bytes = 3;
};
Status CheckPixelCost(PixelSize size, const PixelCost& cost,
                      std::size_t file_bytes, const DecodeLimits& limits);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_LIBRARY_IMAGE_H_
