// Numbers as users write and read them. No locale has a say.
#ifndef SHARDINE_CLI_NUMBER_H_
#define SHARDINE_CLI_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardine {

// Decimal digits only, the whole of `text`; nullopt beyond the type.
std::optional<std::uint64_t> ParseUnsigned(std::string_view text);
// The same with an optional `-`.
std::optional<std::int64_t> ParseSigned(std::string_view text);
// "4096", "100B", "64K", "256M", "1G", "2T": powers of 1024.
std::optional<std::uint64_t> ParseByteSize(std::string_view text);

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

#endif  // SHARDINE_CLI_NUMBER_H_
