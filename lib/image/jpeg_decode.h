// JPEG to rows by libjpeg-turbo with its defaults: accurate integer IDCT, fancy
// upsampling. Its warnings come back as values.
#ifndef SHARDINE_IMAGE_JPEG_DECODE_H_
#define SHARDINE_IMAGE_JPEG_DECODE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "pixels/color_rules.h"
#include "pixels/row_sink.h"
#include "shardine/status.h"

namespace shardine {

// Rows come as many at once as a row of MCUs has. Warnings are in order of
// appearance, kinds unique. kCorrupt with libjpeg's words if the data cannot be
// decoded, kUnsupported if they can but exceed a limit, or for other than 1, 3
// or 4 components. With `rows` the sink gets no more than so many (and one row
// of MCUs), and only damage in these rows is warned of.
Result<std::vector<DecodeWarning>> DecodeJpeg(
    ByteView jpeg, const DecodeLimits& limits, const ColorTarget& color,
    RowSink& sink, std::optional<std::uint32_t> rows = std::nullopt);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_DECODE_H_
