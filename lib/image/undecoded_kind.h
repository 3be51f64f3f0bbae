// Images that are sound and that no decoder here reads: another kind of file,
// or a process of JPEG that is not decoded.
#ifndef SHARDINE_IMAGE_UNDECODED_KIND_H_
#define SHARDINE_IMAGE_UNDECODED_KIND_H_

#include <string_view>

#include "base/bytes.h"
#include "image/image_facts.h"
#include "shardine/status.h"

namespace shardine {

// "heic", "avif", "jxl", "lossless jpeg", "12-bit jpeg", "jpeg of 2
// components", "jpeg of many components"; "webp", "gif", "bmp", "tiff" of a
// form that is not decoded, and of sidecars by programs that did not decode the
// kind. Empty for an image that is decoded, and for bytes that are no image.
std::string_view UndecodedKind(const ImageFacts& facts);

// Whether most images of the kind are decoded.
bool IsDecodedKind(ImageKind kind);

// The message of a JPEG whose coding this build of libjpeg does not decode.
inline constexpr char kArithmeticCoding[] = "a JPEG with arithmetic coding";

// Whether an image failed to decode with this status because of its kind alone.
// Bytes that are no image, or that are cut, are damage.
bool IsOfUndecodedKind(ByteView image, const Status& failure);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_UNDECODED_KIND_H_
