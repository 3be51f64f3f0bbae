#include "base/number.h"

#include <charconv>
#include <cstddef>
#include <iterator>
#include <limits>
#include <system_error>

namespace shardine {
namespace {

constexpr std::string_view kUnits = "BKMGT";

template <typename T>
std::optional<T> ParseWhole(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> ParseUnsigned(std::string_view text) {
  return ParseWhole<std::uint64_t>(text);
}

std::optional<std::int64_t> ParseSigned(std::string_view text) {
  return ParseWhole<std::int64_t>(text);
}

std::optional<std::uint64_t> ParseByteSize(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = kUnits.find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(unit);
      text.remove_suffix(1);
    }
  }
  const std::optional<std::uint64_t> count = ParseUnsigned(text);
  if (!count || *count > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return std::nullopt;
  }
  return *count << shift;
}

std::string ByteSizeText(std::uint64_t bytes) {
  std::size_t unit = 0;
  while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const std::string text = std::to_string(bytes);
  return unit == 0 ? text : text + kUnits[unit];
}

std::string NumberText(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, std::end(digits), number).ptr;
  return std::string(digits, end);
}

}  // namespace shardine
