#include "cli/source_operands.h"

#include <utility>

#include "shardine/escape.h"

namespace shardine {

Status TakeSourcesAndOutput(const std::vector<std::string>& operands,
                            SourceOptions& source, std::string& output) {
  auto folders = ParseSourceArguments({operands.begin(), operands.end() - 1});
  if (!folders.ok()) return std::move(folders).status();
  source.folders = *std::move(folders);
  output = operands.back();
  return Status();
}

std::string ScanningText(const std::vector<std::string>& sources) {
  std::string text;
  for (const std::string& source : sources) {
    text += (text.empty() ? "" : ", ") + EscapeBytes(source);
  }
  return "scanning " + text + " ...";
}

}  // namespace shardine
