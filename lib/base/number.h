// Numbers in texts. The locale has no part in them.
#ifndef SHARDINE_BASE_NUMBER_H_
#define SHARDINE_BASE_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardine {

// Decimal digits fill the whole of `text`; nullopt beyond the type.
std::optional<std::uint64_t> ParseUnsigned(std::string_view text);
// The same with an optional `-`.
std::optional<std::int64_t> ParseSigned(std::string_view text);
// "4096", "100B", "64K", "256M", "1G", "2T": powers of 1024.
std::optional<std::uint64_t> ParseByteSize(std::string_view text);

// "256M": the largest unit that divides the number. Manifests and plans compare
// texts, so that each size has one text.
std::string ByteSizeText(std::uint64_t bytes);
// The shortest digits that give the number back.
std::string NumberText(double number);

}  // namespace shardine

#endif  // SHARDINE_BASE_NUMBER_H_
