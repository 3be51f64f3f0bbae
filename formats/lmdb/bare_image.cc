#include "lmdb/bare_image.h"

#include <algorithm>
#include <string_view>

namespace shardine {

bool IsBareImage(ByteView value) {
  using namespace std::string_view_literals;
  constexpr std::string_view kHeads[] = {
      "\xff\xd8\xff"sv, "\x89PNG\r\n\x1a\n"sv, "GIF8"sv, "II*\0"sv, "MM\0*"sv};
  const std::string_view text = AsText(value);
  const auto begins = [&](std::string_view head) {
    return text.starts_with(head);
  };
  if (std::ranges::any_of(kHeads, begins)) return true;
  if (text.starts_with("RIFF"sv) && text.size() >= 8) {
    return text.substr(8).starts_with("WEBP"sv);
  }
  // Two letters are few: a BMP says its own size after them.
  return text.starts_with("BM"sv) && value.size() >= 26 &&
         LoadLe<std::uint32_t>(&value[2]) == value.size();
}

bool IsImageInArray(const DecodedField& field) {
  return field.dtype == "|u1" && field.shape.size() == 1 &&
         IsBareImage(field.bytes);
}

void TakeImageOutOfArray(DecodedField& field) {
  if (!IsImageInArray(field)) return;
  field.dtype = kBytesDtype;
  field.shape.clear();
}

}  // namespace shardine
