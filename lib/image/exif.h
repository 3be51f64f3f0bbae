// EXIF, as far as orientation goes.
#ifndef SHARDINE_IMAGE_EXIF_H_
#define SHARDINE_IMAGE_EXIF_H_

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace shardine {

// The orientation tag (0x0112) of the first directory of a TIFF structure, as
// it follows "Exif\0\0" in a JPEG or fills an eXIf chunk in a PNG: 1..8, or 0
// if it is not stated or the structure is malformed, which is no error.
std::uint8_t ExifOrientation(ByteView tiff);

// A TIFF structure with this orientation alone. REQUIRES: 1..8.
std::string ExifOf(std::uint8_t orientation);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_EXIF_H_
