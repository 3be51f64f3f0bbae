#include "cli/columns.h"

#include <algorithm>

namespace shardine {

std::string TwoColumns(
    std::span<const std::pair<std::string_view, std::string_view>> lines) {
  std::size_t width = 0;
  for (const auto& [name, text] : lines) width = std::max(width, name.size());
  std::string columns;
  for (const auto& [name, text] : lines) {
    columns.append("  ").append(name).append(width + 2 - name.size(), ' ');
    columns.append(text).append("\n");
  }
  return columns;
}

}  // namespace shardine
