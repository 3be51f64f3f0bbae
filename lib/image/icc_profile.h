// The color profile that an image carries.
#ifndef SHARDINE_IMAGE_ICC_PROFILE_H_
#define SHARDINE_IMAGE_ICC_PROFILE_H_

#include "base/bytes.h"

namespace shardine {

// Of a JPEG, joined from its APP2 segments (ICC.1:2010, annex B.4), or of a
// PNG's iCCP chunk, inflated. Empty if there is none, or none that is whole, of
// at most 16 MiB; never fails.
ByteBuffer ReadIccProfile(ByteView image);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_ICC_PROFILE_H_
