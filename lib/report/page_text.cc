#include "report/page_text.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"
#include "shardine/escape.h"
#include "shardine/printable.h"

namespace shardine {

std::string PageName(std::string_view bytes, std::size_t most) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = std::max<std::size_t>(Utf8Length(bytes), 1);
    const std::string piece =
        PrintableLine(EscapeBytes(bytes.substr(0, length)));
    if (text.size() + piece.size() > most) return text + "\u2026";
    text += piece;
    bytes.remove_prefix(length);
  }
  return text;
}

std::string JsonInPage(const nlohmann::json& value) {
  const std::string plain = value.dump();
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string Base64(ByteView bytes) {
  constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      word = word << 8 |
             (j < count ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[word >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

}  // namespace shardine
