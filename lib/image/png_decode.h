// PNG to rows.
#ifndef SHARDINE_IMAGE_PNG_DECODE_H_
#define SHARDINE_IMAGE_PNG_DECODE_H_

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "pixels/color_rules.h"
#include "pixels/row_sink.h"
#include "shardine/status.h"

namespace shardine {

// Pixels as png_unpack.h says, failures as png_stream.h does; kUnsupported also
// where rows on their way need more than limits.max_memory. An interlaced image
// is held in memory whole. REQUIRES: `png` starts with the signature.
Status DecodePng(ByteView png, const DecodeLimits& limits,
                 const ColorTarget& color, RowSink& sink);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_DECODE_H_
