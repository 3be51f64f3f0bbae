#include "cli/columns.h"

#include <algorithm>

namespace shardine {

std::string Aligned(const std::vector<Row>& rows, std::string_view indent) {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    text += indent;
    // The last column is not padded: lines end without blanks.
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += row[i] + std::string(widths[i] + 2 - row[i].size(), ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace shardine
