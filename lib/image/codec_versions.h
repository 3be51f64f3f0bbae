// The libraries that decode and encode images here, as manifests record them.
#ifndef SHARDINE_IMAGE_CODEC_VERSIONS_H_
#define SHARDINE_IMAGE_CODEC_VERSIONS_H_

#include <string>
#include <vector>

namespace shardine {

// Sorted: {"libjpeg-turbo 2.1.5"}.
std::vector<std::string> CodecVersions();

// The same and other libraries that read images, for bug reports:
// {"libpng 1.6.39"}.
std::vector<std::string> ImageLibraryVersions();

}  // namespace shardine

#endif  // SHARDINE_IMAGE_CODEC_VERSIONS_H_
