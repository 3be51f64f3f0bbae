#include "image/jpeg_segments.h"

#include <cstddef>

namespace shardine {

bool JpegSegmentReader::Next(JpegMarkerSegment& segment) {
  const auto byte = [this](std::size_t at) {
    return std::to_integer<std::uint8_t>(jpeg_[at]);
  };
  if (position_ >= jpeg_.size() || byte(position_) != 0xFF) return false;
  while (position_ < jpeg_.size() && byte(position_) == 0xFF) ++position_;
  if (jpeg_.size() - position_ < 3) return false;
  segment.marker = byte(position_);
  const std::size_t length =
      std::size_t{byte(position_ + 1)} << 8 | byte(position_ + 2);
  if (segment.marker < 0xC0 || segment.marker == 0xDA || length < 2 ||
      jpeg_.size() - position_ - 1 < length) {
    return false;
  }
  segment.payload = jpeg_.subspan(position_ + 3, length - 2);
  position_ += 1 + length;
  return true;
}

}  // namespace shardine
