#include "base/json_tree.h"

#include <cstdint>

namespace shardine {
namespace {

constexpr std::uint64_t kFree = std::uint64_t{200} << 20;

// Bytes that the parser allocates for a node that begins or ends with this
// character: a value in a vector that grows, a vector or map, a node of a map,
// a string.
std::uint64_t RoomOf(char c) {
  switch (c) {
    case ',':
      return 48;
    case '[':
    case '{':
      return 64;
    case ':':
      return 112;
    case '"':
      return 24;
    default:
      return 0;
  }
}

}  // namespace

bool JsonTreeFits(std::string_view text) {
  // No character takes more than a node.
  if (text.size() <= kFree / 112) return true;
  const std::uint64_t most = kFree + text.size();
  std::uint64_t room = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && room <= most; ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
      continue;
    }
    if (!quoted || text[i] == '"') room += RoomOf(text[i]);
    if (text[i] == '"') quoted = !quoted;
  }
  return room <= most;
}

}  // namespace shardine
