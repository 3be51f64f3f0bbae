// The color profile that an image carries.
#ifndef SHARDINE_IMAGE_ICC_PROFILE_H_
#define SHARDINE_IMAGE_ICC_PROFILE_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace shardine {

// The most that fits the APP2 segments of one JPEG.
inline constexpr std::size_t kMaxIccProfile = std::size_t{255} * 65519;

// The profile of a JPEG, joined from its APP2 segments (ICC.1:2010, annex B.4),
// of a PNG's iCCP chunk, inflated, or of a WebP or TIFF. Empty if there is
// none, or none that is whole, of at most kMaxIccProfile; never fails.
ByteBuffer ReadIccProfile(ByteView image);

// True if the profile is one for gray pixels (`channels` 1) or for RGB (3) by
// the data color space in its header (ICC.1:2010, 7.2.6): an image of CMYK that
// became RGB must not keep its profile. False for bytes that are no profile or
// larger than kMaxIccProfile.
bool IccProfileFits(ByteView icc, std::uint8_t channels);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_ICC_PROFILE_H_
