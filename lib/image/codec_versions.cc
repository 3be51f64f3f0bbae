#include "image/codec_versions.h"

#include <gif_lib.h>
#include <jconfig.h>
#include <png.h>
#include <tiffio.h>
#include <webp/decode.h>

#define SHARDINE_TEXT_OF(tokens) #tokens
#define SHARDINE_EXPANDED_TEXT_OF(tokens) SHARDINE_TEXT_OF(tokens)

namespace shardine {
namespace {

std::string WebpVersion() {
  const int version = WebPGetDecoderVersion();
  return "libwebp " + std::to_string(version >> 16) + "." +
         std::to_string(version >> 8 & 0xff) + "." +
         std::to_string(version & 0xff);
}

// The first line is "LIBTIFF, Version 4.5.0".
std::string TiffVersion() {
  const std::string text = TIFFGetVersion();
  const std::string line = text.substr(0, text.find('\n'));
  return "libtiff " + line.substr(line.rfind(' ') + 1);
}

}  // namespace

std::vector<std::string> CodecVersions() {
  return {"libjpeg-turbo " SHARDINE_EXPANDED_TEXT_OF(LIBJPEG_TURBO_VERSION)};
}

std::vector<std::string> ImageLibraryVersions() {
  std::vector<std::string> versions = CodecVersions();
  versions.push_back(std::string("libpng ") + png_get_libpng_ver(nullptr));
  versions.push_back(WebpVersion());
  versions.push_back(TiffVersion());
  versions.push_back("giflib " SHARDINE_EXPANDED_TEXT_OF(
      GIFLIB_MAJOR) "." SHARDINE_EXPANDED_TEXT_OF(GIFLIB_MINOR) "." SHARDINE_EXPANDED_TEXT_OF(GIFLIB_RELEASE));
  return versions;
}

}  // namespace shardine
