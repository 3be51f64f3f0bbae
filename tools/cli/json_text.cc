#include "cli/json_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "shardine/escape.h"
#include "shardine/printable.h"

namespace shardine {
namespace {

// The JSON escape of a character, "\u202E" for the UTF-8 of U+202E. Characters
// that a terminal must not get have at most three bytes.
std::string JsonEscape(std::string_view character) {
  unsigned code = static_cast<unsigned char>(character[0]);
  if (character.size() > 1) code &= character.size() == 2 ? 0x1F : 0x0F;
  for (const char c : character.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  }
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04X", code & 0xFFFF);
  return text;
}

}  // namespace

// The serialiser escapes only as JSON demands.
std::string JsonLine(const Json& json) {
  const std::string dumped =
      json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string line;
  line.reserve(dumped.size() + 1);
  for (std::string_view rest = dumped; !rest.empty();) {
    const std::size_t hidden =
        ContinuesCharacter(rest[0]) ? 0 : UnprintableLength(rest);
    const std::string_view character =
        rest.substr(0, std::max<std::size_t>(hidden, 1));
    line += hidden > 0 ? JsonEscape(character) : std::string(character);
    rest.remove_prefix(character.size());
  }
  return line + "\n";
}

Json JsonText(std::string_view bytes) { return EscapeBytes(bytes); }

Json JsonLabel(const Label& label) {
  if (label.is_integer()) return label.integer();
  if (std::isinf(label.real())) return label.ToString();
  return label.real();
}

}  // namespace shardine
