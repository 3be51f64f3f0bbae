// Numbers as users read them. No locale has a say.
#ifndef SHARDINE_CLI_NUMBER_TEXT_H_
#define SHARDINE_CLI_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace shardine {

// "1234.5" with that many digits after the point.
std::string FormatFixed(double value, int digits);
// "999 bytes", "1.2 kB", "34.5 MB": powers of 1000.
std::string FormatBytes(std::uint64_t bytes);
// "2.1 %"; "0.0 %" of nothing.
std::string FormatShare(std::uint64_t part, std::uint64_t whole);
// "0:07", "1:02:03".
std::string FormatSeconds(double seconds);
// "1 shard", "2 shards".
std::string FormatCount(std::uint64_t count, std::string_view noun);

}  // namespace shardine

#endif  // SHARDINE_CLI_NUMBER_TEXT_H_
