#include "image/jpeg_decode.h"

#include <algorithm>
#include <string>

#include "base/status_macros.h"
#include "image/jpeg_session.h"
#include "pixels/row_emitter.h"

namespace shardine {

Result<std::vector<DecodeWarning>> DecodeJpeg(
    ByteView jpeg, const DecodeLimits& limits, const ColorTarget& color,
    RowSink& sink, std::optional<std::uint32_t> rows) {
  JpegSession session(jpeg, limits);
  SHARDINE_RETURN_IF_ERROR(session.ReadHeader());
  const PixelSize size = session.size();
  if (color.wants_luma()) session.KeepLuma();
  const int components = session.components();
  if (components != 1 && components != 3 && components != 4) {
    return Status(Code::kUnsupported,
                  "JPEG of " + std::to_string(components) + " components");
  }
  // The decoder first: it refuses an image that exceeds the memory limit.
  SHARDINE_RETURN_IF_ERROR(session.Start());
  RowEmitter emitter(sink, color);
  SHARDINE_RETURN_IF_ERROR(
      emitter.Begin(size, static_cast<StoredColor>(components),
                    session.rows_at_once(), limits.max_memory));
  const std::uint32_t end = std::min(rows.value_or(size.height), size.height);
  for (std::uint32_t y = 0; y < end; y += session.rows_at_once()) {
    const std::uint32_t count =
        std::min(session.rows_at_once(), size.height - y);
    SHARDINE_RETURN_IF_ERROR(
        session.ReadRows(emitter.Room(count), emitter.stride(), count));
    emitter.Emit(count);
  }
  if (!rows) SHARDINE_RETURN_IF_ERROR(session.Finish());
  return session.warnings();
}

}  // namespace shardine
