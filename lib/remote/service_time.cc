#include "remote/service_time.h"

#include <algorithm>
#include <ctime>
#include <string_view>

namespace shardine {

std::optional<std::int64_t> ParseServiceTime(const std::string& text) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  if (*rest == '.') {
    ++rest;
    while (*rest >= '0' && *rest <= '9') ++rest;
  }
  std::tm offset{};
  const std::string_view zone(rest);
  const bool is_utc = zone.empty() || zone == "Z";
  if (!is_utc && strptime(rest, "%z", &offset) == nullptr) return std::nullopt;
  return timegm(&parts) - offset.tm_gmtoff;
}

std::chrono::system_clock::time_point WallTimeOf(std::int64_t seconds) {
  using Clock = std::chrono::system_clock;
  constexpr auto kLast = std::chrono::duration_cast<std::chrono::seconds>(
      Clock::time_point::max().time_since_epoch());
  return Clock::time_point(std::chrono::seconds(
      std::clamp<std::int64_t>(seconds, 0, kLast.count())));
}

std::optional<std::chrono::system_clock::time_point> ParseWallTime(
    const std::string& text) {
  const auto seconds = ParseServiceTime(text);
  if (!seconds) return std::nullopt;
  return WallTimeOf(*seconds);
}

}  // namespace shardine
