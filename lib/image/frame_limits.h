// Which JPEGs our own decoder may take without counting its steps and memory.
#ifndef SHARDINE_IMAGE_FRAME_LIMITS_H_
#define SHARDINE_IMAGE_FRAME_LIMITS_H_

#include <cstddef>

#include "image/decode_limits.h"
#include "jpeg/jpeg_frame.h"

namespace shardine {

// True if a file of that frame and so many bytes is within the limits, whatever
// its scan holds. False is no verdict: libjpeg-turbo counts as it goes.
bool AllowsFrame(const JpegFrame& frame, std::size_t bytes,
                 const DecodeLimits& limits);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_FRAME_LIMITS_H_
