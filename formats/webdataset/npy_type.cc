#include "webdataset/npy_type.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace shardine {
namespace {

bool IsDecimal(char c) { return c >= '0' && c <= '9'; }

bool IsAnyOf(std::uint64_t value, std::initializer_list<std::uint64_t> all) {
  return std::ranges::find(all, value) != all.end();
}

// "[ns]", "[25s]", nothing.
bool IsTimeUnit(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') {
    return false;
  }
  text = text.substr(1, text.size() - 2);
  return std::ranges::all_of(text, [](char c) {
    return IsDecimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

// The type of elements of this kind, without their byte order.
std::optional<NpyType> TypeOf(char kind, std::uint64_t size) {
  switch (kind) {
    case 'b':
      if (size != 1) return std::nullopt;
      return NpyType{.bytes = 1};
    case 'i':
    case 'u':
      if (!IsAnyOf(size, {1, 2, 4, 8})) return std::nullopt;
      return NpyType{.bytes = size, .swap_bytes = size};
    case 'f':
      if (!IsAnyOf(size, {2, 4, 8, 12, 16})) return std::nullopt;
      return NpyType{.bytes = size, .swap_bytes = size};
    case 'c':
      if (!IsAnyOf(size, {8, 16, 24, 32})) return std::nullopt;
      return NpyType{.bytes = size, .swap_bytes = size / 2};
    case 'M':
    case 'm':
      if (size != 8) return std::nullopt;
      return NpyType{.bytes = 8, .swap_bytes = 8};
    case 'U':
      if (size > kMaxArrayBytes / 4) return std::nullopt;
      return NpyType{.bytes = size * 4, .swap_bytes = 4};
    case 'S':
    case 'V':
      return NpyType{.bytes = size};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<NpyType> ParseNpyType(std::string_view dtype) {
  if (dtype.size() < 3 || !IsDecimal(dtype[2])) return std::nullopt;
  if (dtype[2] == '0' && dtype.size() > 3) return std::nullopt;
  const char order = dtype[0];
  const char kind = dtype[1];
  std::uint64_t size = 0;
  const char* end = dtype.data() + dtype.size();
  const auto [stop, error] = std::from_chars(dtype.data() + 2, end, size);
  if (error != std::errc() || size > kMaxArrayBytes) return std::nullopt;
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  const bool time = kind == 'M' || kind == 'm';
  if (time ? !IsTimeUnit(unit) : !unit.empty()) return std::nullopt;
  auto type = TypeOf(kind, size);
  if (!type ||
      (order == '|' ? type->swap_bytes != 1 : order != '<' && order != '>')) {
    return std::nullopt;
  }
  type->big_endian = order == '>' && type->swap_bytes > 1;
  return type;
}

std::optional<std::uint64_t> ArrayBytes(std::span<const std::uint64_t> shape,
                                        std::uint64_t bytes) {
  if (std::ranges::find(shape, std::uint64_t{0}) != shape.end()) return 0;
  for (const std::uint64_t dimension : shape) {
    if (bytes > kMaxArrayBytes / dimension) return std::nullopt;
    bytes *= dimension;
  }
  return bytes;
}

}  // namespace shardine
