#include "image/jpeg_decode.h"

#include <cstddef>
#include <utility>

#include "base/status_macros.h"
#include "image/jpeg_session.h"

namespace shardine {

Result<DecodeReport> CheckJpegDecode(ByteView jpeg,
                                     const DecodeLimits& limits) {
  JpegSession session(jpeg, limits);
  DecodeReport report;
  SHARDINE_RETURN_IF_ERROR(session.ReadHeader(report));
  std::vector<std::uint8_t> row(std::size_t{report.width} * report.components);
  SHARDINE_RETURN_IF_ERROR(session.Start());
  SHARDINE_RETURN_IF_ERROR(session.ReadRows(row.data(), 0));
  SHARDINE_RETURN_IF_ERROR(session.Finish());
  report.warnings = session.warnings();
  return report;
}

Result<DecodedImage> DecodeJpeg(ByteView jpeg, const DecodeLimits& limits) {
  JpegSession session(jpeg, limits);
  DecodedImage image;
  DecodeReport& report = image.report;
  SHARDINE_RETURN_IF_ERROR(session.ReadHeader(report));
  const std::size_t stride = std::size_t{report.width} * report.components;
  // The decoder first: it refuses what exceeds the memory limit.
  SHARDINE_RETURN_IF_ERROR(session.Start());
  image.pixels.resize(stride * report.height);
  SHARDINE_RETURN_IF_ERROR(session.ReadRows(image.pixels.data(), stride));
  SHARDINE_RETURN_IF_ERROR(session.Finish());
  report.warnings = session.warnings();
  return image;
}

}  // namespace shardine
