// Times as services write them in their answers.
#ifndef SHARDINE_REMOTE_SERVICE_TIME_H_
#define SHARDINE_REMOTE_SERVICE_TIME_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace shardine {

// "2026-11-23T18:00:00Z", also with a fraction, which is left out, or with an
// offset; in seconds since 1970. nullopt for any other text.
std::optional<std::int64_t> ParseServiceTime(const std::string& text);
// Seconds since 1970 as a time of this machine's clock. A time beyond its last,
// in 2262, becomes the last: some services say "9999-12-31" of keys that stay.
std::chrono::system_clock::time_point WallTimeOf(std::int64_t seconds);
// The two together.
std::optional<std::chrono::system_clock::time_point> ParseWallTime(
    const std::string& text);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_SERVICE_TIME_H_
