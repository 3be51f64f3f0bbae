// Masks as COCO writes them: runs of pixels, column by column.
#ifndef SHARDINE_SOURCE_MASK_RUNS_H_
#define SHARDINE_SOURCE_MASK_RUNS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardine {

// The counts of COCO's compressed text: groups of 5 bits from the character
// '0', and from the third count on differences to the second before. nullopt:
// no such text.
std::optional<std::vector<std::int64_t>> ReadRunText(std::string_view text);

// Whether the counts are not negative and their sum is height * width.
bool FillsMask(const std::vector<std::int64_t>& counts, std::uint64_t height,
               std::uint64_t width);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_MASK_RUNS_H_
