// Whether a PNG is whole: all that can be said without turning it to pixels.
#ifndef SHARDINE_IMAGE_PNG_CHECK_H_
#define SHARDINE_IMAGE_PNG_CHECK_H_

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "shardine/status.h"

namespace shardine {

// Checks the order and the CRC-32 of all chunks, inflates the pixel data to
// exactly the size that IHDR states and looks at the filter type of each row.
// kCorrupt with the byte offset in `png` of the chunk at fault; kUnsupported
// for an image beyond `limits`. Memory is bounded whatever the sizes are.
// REQUIRES: ProbePng finds no problem.
Status CheckPng(ByteView png, const DecodeLimits& limits);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_CHECK_H_
