#include "lmdb/bare_image.h"

#include <string>

namespace shardine {

std::string_view BareImage(ByteView value) {
  using namespace std::string_view_literals;
  const std::string_view text = AsText(value);
  if (text.starts_with("\xff\xd8\xff"sv)) return "JPEG";
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv)) return "PNG";
  if (text.starts_with("GIF8"sv)) return "GIF";
  if (text.starts_with("RIFF"sv) && text.substr(8).starts_with("WEBP"sv)) {
    return "WebP";
  }
  if (text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv)) return "TIFF";
  // Two letters are few: a BMP says its own size after them.
  if (text.starts_with("BM"sv) && value.size() >= 26 &&
      LoadLe<std::uint32_t>(&value[2]) == value.size()) {
    return "BMP";
  }
  return "";
}

bool IsImageInArray(const DecodedField& field) {
  return field.dtype == "|u1" && field.shape.size() == 1 &&
         !BareImage(field.bytes).empty();
}

void TakeImageOutOfArray(DecodedField& field) {
  if (!IsImageInArray(field)) return;
  field.dtype = kBytesDtype;
  field.shape.clear();
}

}  // namespace shardine
