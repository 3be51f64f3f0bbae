// The header of a JPEG: its markers up to the first SOS (ITU-T T.81, annex B).
#ifndef SHARDINE_IMAGE_JPEG_HEADER_H_
#define SHARDINE_IMAGE_JPEG_HEADER_H_

#include "base/bytes.h"
#include "image/probe.h"

namespace shardine {

// Stricter than decoders are: bytes between segments are a problem. The EXIF
// orientation comes from the first Exif segment.
// REQUIRES: the first three bytes are FF D8 FF.
ProbeResult ProbeJpeg(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_HEADER_H_
