// Which member of a sample is its image. Table: FORMAT.md, "Names".
#ifndef SHARDINE_FORMATS_WEBDATASET_IMAGE_EXTENSION_H_
#define SHARDINE_FORMATS_WEBDATASET_IMAGE_EXTENSION_H_

#include <cstddef>
#include <string_view>

#include "base/bytes.h"

namespace shardine {

// The extension that an image with these bytes is written under, by its first
// ones: equal samples become equal files.
std::string_view ImageExtensionFor(ByteView image);

// Place of a lower-case extension among the image extensions, from 0: where a
// sample has several such members, the lowest is its image. kNoImage for any
// other.
inline constexpr std::size_t kNoImage = ~std::size_t{0};
std::size_t ImageRank(std::string_view extension);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_IMAGE_EXTENSION_H_
