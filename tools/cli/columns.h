// Columns of text for a terminal.
#ifndef SHARDINE_CLI_COLUMNS_H_
#define SHARDINE_CLI_COLUMNS_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace shardine {

// A line for each pair: "  NAME  TEXT", all texts below each other.
std::string TwoColumns(
    std::span<const std::pair<std::string_view, std::string_view>> lines);

}  // namespace shardine

#endif  // SHARDINE_CLI_COLUMNS_H_
