#include "cli/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace shardine {
namespace {

std::string TwoDigits(std::uint64_t value) {
  return {static_cast<char>('0' + value / 10 % 10),
          static_cast<char>('0' + value % 10)};
}

}  // namespace

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
