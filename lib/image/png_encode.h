// PNG by libpng: the same pixels and options give the same bytes (of one libpng
// and zlib version).
#ifndef SHARDINE_IMAGE_PNG_ENCODE_H_
#define SHARDINE_IMAGE_PNG_ENCODE_H_

#include <cstdint>

#include "base/bytes.h"
#include "image/pixels.h"
#include "shardine/status.h"

namespace shardine {

struct PngEncodeOptions {
  std::uint32_t level = 6;  // of deflate, 1 to 9
  ByteView icc;             // profile for an iCCP chunk; empty: none
};

// Appends a whole PNG to `out`.
Status EncodePng(const PixelView& pixels, const PngEncodeOptions& options,
                 ByteBuffer& out);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_ENCODE_H_
