#include "webdataset/image_extension.h"

#include <algorithm>
#include <iterator>

namespace shardine {
namespace {

// Nearly all samples have the first extension.
constexpr std::string_view kExtensions[] = {"jpg", "jpeg", "png", "webp", "ppm",
                                            "pgm", "pbm",  "pnm", "bmp",  "gif",
                                            "tif", "tiff", "img"};

}  // namespace

std::string_view ImageExtensionFor(ByteView image) {
  using namespace std::string_view_literals;
  const std::string_view text =
      AsText(image.first(std::min<std::size_t>(image.size(), 12)));
  if (text.starts_with("\xff\xd8\xff")) return "jpg";
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return "png";
  if (text.starts_with("RIFF") && text.ends_with("WEBP")) return "webp";
  if (text.starts_with("GIF8")) return "gif";
  if (text.starts_with("BM")) return "bmp";
  if (text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv)) return "tif";
  return "img";
}

std::size_t ImageRank(std::string_view extension) {
  const auto* found = std::ranges::find(kExtensions, extension);
  if (found == std::end(kExtensions)) return kNoImage;
  return static_cast<std::size_t>(found - std::begin(kExtensions));
}

}  // namespace shardine
