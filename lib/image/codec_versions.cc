#include "image/codec_versions.h"

#include <jconfig.h>

#define SHARDINE_TEXT_OF(tokens) #tokens
#define SHARDINE_EXPANDED_TEXT_OF(tokens) SHARDINE_TEXT_OF(tokens)

namespace shardine {

std::vector<std::string> CodecVersions() {
  return {"libjpeg-turbo " SHARDINE_EXPANDED_TEXT_OF(LIBJPEG_TURBO_VERSION)};
}

}  // namespace shardine
