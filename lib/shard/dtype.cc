#include "shard/dtype.h"

#include <algorithm>
#include <charconv>

#include "shardine/escape.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

// The most bytes of an array, and of a text's or a record's element.
constexpr std::uint64_t kMaxBytes = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kMaxElement = std::uint64_t{1} << 31;
constexpr std::size_t kMaxUnit = 16;
// The part of a type that a message shows, however long a hostile one is.
constexpr std::size_t kMostShown = 32;
constexpr std::size_t kMostSides = 8;

// "[ns]", "[25s]", or nothing.
bool IsTimeUnit(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() < 3 || text.size() > kMaxUnit || text.front() != '[' ||
      text.back() != ']') {
    return false;
  }
  return std::ranges::all_of(text.substr(1, text.size() - 2), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
}

// Floats of 12 and 16 bytes are the long doubles of x86; complex numbers are
// two floats.
bool IsNumberOf(char kind, std::uint64_t size) {
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8 || size == 12 || size == 16;
    case 'c':
      return size == 8 || size == 16 || size == 24 || size == 32;
    case 'm':
    case 'M':
      return size == 8;
    default:
      return false;
  }
}

std::string Shown(std::string_view text) {
  return EscapeBytes(text.substr(0, kMostShown)) +
         (text.size() > kMostShown ? "..." : "");
}

Status Wrong(Code code, std::string_view name, const std::string& what) {
  return Status(code, "the field \"" + Shown(name) + "\" " + what);
}

}  // namespace

std::optional<std::uint64_t> DtypeBytes(std::string_view dtype) {
  if (dtype.size() < 3 || (dtype[0] != '<' && dtype[0] != '|')) {
    return std::nullopt;
  }
  const char kind = dtype[1];
  const char* const end = dtype.data() + dtype.size();
  std::uint64_t size = 0;
  const auto [stop, error] = std::from_chars(dtype.data() + 2, end, size);
  if (error != std::errc() || size > kMaxElement) return std::nullopt;
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  const bool has_unit = kind == 'm' || kind == 'M';
  if (has_unit ? !IsTimeUnit(unit) : !unit.empty()) return std::nullopt;
  if (kind == 'S' || kind == 'V') return size;
  if (kind == 'U') return 4 * size;
  if (!IsNumberOf(kind, size)) return std::nullopt;
  return size;
}

std::optional<std::uint64_t> ArrayBytes(std::string_view dtype,
                                        std::span<const std::uint64_t> shape) {
  std::optional<std::uint64_t> bytes = DtypeBytes(dtype);
  if (!bytes || shape.size() > kMaxFieldRank) return std::nullopt;
  // Zeros come first: with them no other side counts, and none divides below.
  if (*bytes == 0 || std::ranges::find(shape, 0U) != shape.end()) return 0;
  for (const std::uint64_t side : shape) {
    // A division, since a product of hostile numbers may wrap.
    if (*bytes > kMaxBytes / side) return std::nullopt;
    *bytes *= side;
  }
  return bytes;
}

Status CheckFieldType(std::string_view name, std::string_view dtype,
                      std::span<const std::uint64_t> shape,
                      std::uint64_t bytes) {
  if (dtype == kBytesDtype && shape.empty()) return {};
  if (!DtypeBytes(dtype)) {
    return Wrong(Code::kUnsupported, name,
                 "is of the type \"" + Shown(dtype) +
                     "\", which this program does not know");
  }
  if (shape.size() > kMaxFieldRank) {
    return Wrong(Code::kUnsupported, name,
                 "has " + std::to_string(shape.size()) + " axes, more than " +
                     std::to_string(kMaxFieldRank));
  }
  if (ArrayBytes(dtype, shape) == bytes) return {};
  return Wrong(Code::kCorrupt, name,
               "has " + std::to_string(bytes) + " bytes, which is not what " +
                   DescribeType(dtype, shape) + " takes");
}

std::string DescribeType(std::string_view dtype,
                         std::span<const std::uint64_t> shape) {
  std::string text = Shown(dtype);
  for (const std::uint64_t side :
       shape.first(std::min(shape.size(), kMostSides))) {
    text += " x " + std::to_string(side);
  }
  return text + (shape.size() > kMostSides ? " x ..." : "");
}

}  // namespace shardine
