#include "cli/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace shardine {
namespace {

template <typename T>
std::optional<T> ParseWhole(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

std::string TwoDigits(std::uint64_t value) {
  return {static_cast<char>('0' + value / 10 % 10),
          static_cast<char>('0' + value % 10)};
}

}  // namespace

std::optional<std::uint64_t> ParseUnsigned(std::string_view text) {
  return ParseWhole<std::uint64_t>(text);
}

std::optional<std::int64_t> ParseSigned(std::string_view text) {
  return ParseWhole<std::int64_t>(text);
}

std::optional<std::uint64_t> ParseByteSize(std::string_view text) {
  constexpr std::string_view kUnits = "BKMGT";
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = kUnits.find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(unit);
      text.remove_suffix(1);
    }
  }
  const std::optional<std::uint64_t> count = ParseUnsigned(text);
  if (!count) return std::nullopt;
  if (*count > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
    return std::nullopt;
  }
  return *count << shift;
}

std::string FormatFixed(double value, int digits) {
  std::array<char, 64> text;
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    std::chars_format::fixed, digits);
  return error == std::errc() ? std::string(text.data(), end) : "?";
}

std::string FormatBytes(std::uint64_t bytes) {
  if (bytes < 1000) return FormatCount(bytes, "byte");
  constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes) / 1e3;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1e3;
    ++unit;
  }
  return FormatFixed(value, 1) + " " + kUnits[unit];
}

std::string FormatShare(std::uint64_t part, std::uint64_t whole) {
  const double share =
      whole == 0 ? 0
                 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return FormatFixed(share, 1) + " %";
}

std::string FormatSeconds(double seconds) {
  if (!(seconds < 3.6e8)) return "?";
  const auto total = static_cast<std::uint64_t>(std::ceil(seconds));
  const std::uint64_t hours = total / 3600;
  const std::uint64_t minutes = total / 60 % 60;
  const std::string tail = ":" + TwoDigits(total % 60);
  if (hours == 0) return std::to_string(minutes) + tail;
  return std::to_string(hours) + ":" + TwoDigits(minutes) + tail;
}

std::string FormatCount(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " " + std::string(noun);
  if (count == 1) return text;
  return text + (noun.ends_with("ss") ? "es" : "s");
}

}  // namespace shardine
