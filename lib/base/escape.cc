#include "shardine/escape.h"

#include <cstdint>

#include "base/hex_escape.h"
#include "base/utf8.h"

namespace shardine {
namespace {

// C0, DEL, and the C1 block, which UTF-8 writes as C2 80 .. C2 9F.
bool IsControl(std::string_view sequence) {
  const auto first = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<std::uint8_t>(sequence[1]) < 0xA0;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string EscapeBytes(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = Utf8Length(bytes);
    const std::string_view sequence = bytes.substr(0, length ? length : 1);
    if (length == 0 || sequence == "\\" || IsControl(sequence)) {
      AppendHexEscaped(sequence, text);
    } else {
      text += sequence;
    }
    bytes.remove_prefix(sequence.size());
  }
  return text;
}

std::optional<std::string> UnescapeBytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    if (text[0] != '\\') {
      bytes += text[0];
      text.remove_prefix(1);
      continue;
    }
    if (text.size() < 4 || text[1] != 'x') return std::nullopt;
    const int high = HexDigit(text[2]);
    const int low = HexDigit(text[3]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
    text.remove_prefix(4);
  }
  return bytes;
}

}  // namespace shardine
