// Columns of text for a terminal.
#ifndef SHARDINE_CLI_COLUMNS_H_
#define SHARDINE_CLI_COLUMNS_H_

#include <string>
#include <string_view>
#include <vector>

namespace shardine {

using Row = std::vector<std::string>;

// A line for each row, `indent` before it and two blanks between columns, each
// as wide as its longest cell; no line ends with blanks. REQUIRES: all rows
// have as many cells.
std::string Aligned(const std::vector<Row>& rows, std::string_view indent = "");

}  // namespace shardine

#endif  // SHARDINE_CLI_COLUMNS_H_
