// The marker segments of a JPEG before its first scan (ITU-T T.81, annex B),
// for readers that look for metadata and do not judge.
#ifndef SHARDINE_IMAGE_JPEG_SEGMENTS_H_
#define SHARDINE_IMAGE_JPEG_SEGMENTS_H_

#include <cstdint>

#include "base/bytes.h"

namespace shardine {

struct JpegMarkerSegment {
  std::uint8_t marker = 0;
  ByteView payload;
};

// Thread-compatible. Payloads are views into `jpeg`, which must outlive them.
class JpegSegmentReader {
 public:
  explicit JpegSegmentReader(ByteView jpeg) : jpeg_(jpeg) {}

  // False at the first SOS, at the end, or where there is no segment.
  bool Next(JpegMarkerSegment& segment);

 private:
  ByteView jpeg_;
  std::size_t position_ = 2;  // after SOI
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_SEGMENTS_H_
