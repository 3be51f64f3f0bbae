#include "shardine/printable.h"

#include <algorithm>
#include <cstdint>

#include "base/hex_escape.h"
#include "base/shown_name.h"
#include "base/utf8.h"

namespace shardine {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr Range kUnprintable[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},
    {0x61C, 0x61C},  // Bidi_Control from here on, but for 2028 and 2029
    {0x200E, 0x200F}, {0x2028, 0x202E},
    {0x2066, 0x2069}};

// REQUIRES: `sequence` is one valid sequence of at most three bytes.
std::uint32_t CodePoint(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint8_t>(sequence[i]));
  };
  if (sequence.size() == 1) return byte(0);
  if (sequence.size() == 2) return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
  return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
}

bool IsPlain(char c) { return c >= 0x20 && c < 0x7F; }

std::string Printable(std::string_view text, std::string_view kept) {
  // Nearly all there is to print, and a listing has millions of lines.
  if (std::ranges::all_of(text, [&](char c) {
        return IsPlain(c) || kept.find(c) != std::string_view::npos;
      })) {
    return std::string(text);
  }
  std::string printable;
  while (!text.empty()) {
    const bool keep = kept.find(text[0]) != std::string_view::npos;
    const std::size_t hidden = keep ? 0 : UnprintableLength(text);
    const std::size_t length =
        hidden > 0 ? hidden : std::max<std::size_t>(Utf8Length(text), 1);
    if (hidden > 0) {
      AppendHexEscaped(text.substr(0, length), printable);
    } else {
      printable += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return printable;
}

}  // namespace

std::size_t UnprintableLength(std::string_view text) {
  const std::size_t length = Utf8Length(text);
  if (length == 0) return 1;
  if (length > 3) return 0;
  const std::uint32_t code = CodePoint(text.substr(0, length));
  const bool hidden = std::ranges::any_of(kUnprintable, [&](Range range) {
    return code >= range.first && code <= range.last;
  });
  return hidden ? length : 0;
}

std::string PrintableLine(std::string_view text) { return Printable(text, ""); }

std::string MessageLine(std::string_view message) {
  return PrintableLine(ShortenNames(message));
}

std::string PrintableText(std::string_view text) {
  return Printable(text, "\n\t");
}

}  // namespace shardine
