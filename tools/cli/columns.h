// Columns of text for a terminal.
#ifndef SHARDINE_CLI_COLUMNS_H_
#define SHARDINE_CLI_COLUMNS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardine {

using Row = std::vector<std::string>;

// A line for each row, `indent` before it and two blanks between columns, each
// as wide as its longest cell; no line ends with blanks. REQUIRES: all rows
// have as many cells.
std::string Aligned(const std::vector<Row>& rows, std::string_view indent = "");

// `label` on the left, the words of `text` in a column on the right, which
// begins on the next line where the label is too long. Lines have 79 columns at
// most: a terminal of 80 wraps a line that fills the last one.
std::string Hanging(std::string_view label, std::string_view text,
                    std::size_t column);

}  // namespace shardine

#endif  // SHARDINE_CLI_COLUMNS_H_
