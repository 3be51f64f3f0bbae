#include "webdataset/member_name.h"

#include <algorithm>
#include <charconv>

#include "base/id_text.h"

namespace shardine {
namespace {

constexpr std::string_view kMeta = "__";

// Is it "__x__" alone, or is that its first folder?
bool IsMeta(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view first = name.substr(0, slash);
  const bool meta = first.starts_with(kMeta) && first.ends_with(kMeta);
  return meta && (slash == name.npos || first.size() >= 2 * kMeta.size());
}

// The package's pattern lets a hidden file of a folder without a dot in its
// name be the extension of that folder.
bool HiddenHasPrefix(std::string_view folder) {
  if (folder.empty()) return false;
  folder.remove_suffix(1);  // its slash
  const std::size_t slash = folder.rfind('/');
  return folder.substr(slash == folder.npos ? 0 : slash + 1).find('.') ==
         folder.npos;
}

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::optional<MemberName> SplitMemberName(std::string_view name) {
  if (IsMeta(name)) return std::nullopt;
  const std::size_t slash = name.rfind('/');
  const std::size_t file = slash == name.npos ? 0 : slash + 1;
  const std::size_t dot = name.find('.', file);
  if (dot == name.npos) return std::nullopt;
  if (dot == file && !HiddenHasPrefix(name.substr(0, file))) {
    return std::nullopt;
  }
  return MemberName{name.substr(0, dot), name.substr(dot + 1)};
}

// Archives of `tar -c .` have "./" in front of each name.
std::optional<std::uint64_t> IdOfPrefix(std::string_view prefix) {
  if (prefix.starts_with("./")) prefix.remove_prefix(2);
  std::uint64_t id = 0;
  const char* end = prefix.data() + prefix.size();
  const auto [stop, error] = std::from_chars(prefix.data(), end, id);
  if (error != std::errc() || stop != end) return std::nullopt;
  return id;
}

std::string PrefixOfId(std::uint64_t id) { return IdText(id); }

std::optional<std::string_view> PrefixOfKey(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  const std::size_t file = slash == key.npos ? 0 : slash + 1;
  const std::string_view prefix = key.substr(0, key.find('.', file));
  if (prefix.starts_with('/') || prefix.find('\0') != prefix.npos) {
    return std::nullopt;
  }
  for (std::string_view rest = prefix; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part == "..") return std::nullopt;
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  const std::string name = std::string(prefix) + ".x";
  const auto split = SplitMemberName(name);
  if (!split || split->prefix != prefix) return std::nullopt;
  return prefix;
}

bool IsPlainExtension(std::string_view name) {
  using namespace std::string_view_literals;
  return !name.empty() && name.find_first_of("/%\0"sv) == name.npos &&
         std::ranges::none_of(name,
                              [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string EscapeFieldName(std::string_view name) {
  constexpr char kHex[] = "0123456789abcdef";
  // An empty part would leave ".npy" of the extension, which is another field.
  if (name.empty()) return "%";
  std::string text;
  for (const char c : name) {
    if (IsPlain(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return text;
}

std::optional<std::string> UnescapeFieldName(std::string_view text) {
  std::string name;
  if (text == "%") return name;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    if (IsPlain(text[0])) {
      name += text[0];
      text.remove_prefix(1);
      continue;
    }
    if (text[0] != '%' || text.size() < 3) return std::nullopt;
    const int high = HexDigit(text[1]);
    const int low = HexDigit(text[2]);
    if (high < 0 || low < 0) return std::nullopt;
    name += static_cast<char>(high * 16 + low);
    // A letter that need not be escaped would give one field two spellings, and
    // a sample two files of it.
    if (IsPlain(name.back())) return std::nullopt;
    text.remove_prefix(3);
  }
  return name;
}

}  // namespace shardine
