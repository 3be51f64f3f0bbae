#include "image/codec_versions.h"

#include <jconfig.h>
#include <png.h>

#define SHARDINE_TEXT_OF(tokens) #tokens
#define SHARDINE_EXPANDED_TEXT_OF(tokens) SHARDINE_TEXT_OF(tokens)

namespace shardine {

std::vector<std::string> CodecVersions() {
  return {"libjpeg-turbo " SHARDINE_EXPANDED_TEXT_OF(LIBJPEG_TURBO_VERSION)};
}

std::vector<std::string> ImageLibraryVersions() {
  std::vector<std::string> versions = CodecVersions();
  versions.push_back(std::string("libpng ") + png_get_libpng_ver(nullptr));
  return versions;
}

}  // namespace shardine
