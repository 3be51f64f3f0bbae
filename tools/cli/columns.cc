#include "cli/columns.h"

#include <algorithm>
#include <sstream>

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

std::string Hanging(std::string_view label, std::string_view text,
                    std::size_t column) {
  constexpr std::size_t kWidth = 79;
  std::string lines;
  std::string line(label);
  const auto end_line = [&] {
    lines += line + "\n";
    line.clear();
  };
  if (!label.empty() && line.size() + 2 > column) end_line();
  line.resize(column, ' ');
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (line.size() > column && line.size() + 1 + word.size() > kWidth) {
      end_line();
      line.resize(column, ' ');
    }
    line += (line.size() > column ? " " : "") + word;
  }
  end_line();
  return lines;
}

}  // namespace shardine
