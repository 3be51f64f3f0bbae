#include "source/name_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace shardine {
namespace {

struct CodePoint {
  std::uint32_t value;
  std::size_t length;
};

// REQUIRES: !text.empty().
CodePoint FirstCodePoint(std::string_view text) {
  const auto byte = [text](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[i]);
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const CodePoint escaped{0xDC00 + lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return escaped;
  std::uint32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return escaped;
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[length] || value > 0x10FFFF || surrogate) return escaped;
  return {value, length};
}

bool CodePointsLess(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const CodePoint first = FirstCodePoint(a);
    const CodePoint second = FirstCodePoint(b);
    if (first.value != second.value) return first.value < second.value;
    a.remove_prefix(first.length);
    b.remove_prefix(second.length);
  }
  return a.empty() && !b.empty();
}

struct KeyParts {
  std::string_view class_name;
  std::string_view directory;
  std::string_view file;
};

KeyParts SplitKey(std::string_view key) {
  const std::size_t first = key.find('/');
  if (first == std::string_view::npos) return {{}, {}, key};
  const std::size_t last = key.rfind('/');
  return {key.substr(0, first), key.substr(0, last), key.substr(last + 1)};
}

}  // namespace

bool NameLess(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] =
      std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  // Bytes that begin no ASCII character decide only together with those before
  // them, which may be shared.
  const auto ascii = [](auto at, auto end) {
    return at == end || static_cast<unsigned char>(*at) < 0x80;
  };
  if (!ascii(at_a, a.end()) || !ascii(at_b, b.end())) {
    return CodePointsLess(a, b);
  }
  if (at_a == a.end()) return at_b != b.end();
  return at_b != b.end() && *at_a < *at_b;
}

bool WalkLess(std::string_view a, std::string_view b) {
  const KeyParts left = SplitKey(a);
  const KeyParts right = SplitKey(b);
  if (left.class_name != right.class_name) {
    return NameLess(left.class_name, right.class_name);
  }
  if (left.directory != right.directory) {
    return NameLess(left.directory, right.directory);
  }
  return NameLess(left.file, right.file);
}

}  // namespace shardine
