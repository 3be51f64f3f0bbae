#include "cli/shard_arguments.h"

#include <optional>
#include <utility>

#include "shardine/escape.h"
#include "shardine/file_pattern.h"

namespace shardine {
namespace {

constexpr char kNameBytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

struct NamedFile {
  std::string split;  // empty: none
  std::string file;
};

NamedFile Cut(const std::string& operand) {
  const std::size_t equals = operand.find('=');
  if (equals == operand.npos || equals == 0 ||
      operand.find_first_not_of(kNameBytes) != equals) {
    return {"", operand};
  }
  return {operand.substr(0, equals), operand.substr(equals + 1)};
}

Status Invalid(const std::string& operand, const std::string& reason) {
  return Status(Code::kInvalidArgument,
                "\"" + EscapeBytes(operand) + "\": " + reason);
}

}  // namespace

Result<ShardArguments> ParseShardArguments(
    const std::vector<std::string>& operands) {
  ShardArguments arguments;
  std::optional<bool> named;
  for (const std::string& operand : operands) {
    NamedFile cut = Cut(operand);
    if (cut.file.empty()) return Invalid(operand, "no file");
    if (named && *named == cut.split.empty()) {
      return Invalid(operand,
                     "several splits are given as train=FILE val=FILE, and a "
                     "file with = in its name as ./FILE");
    }
    named = !cut.split.empty();
    auto files = ExpandPattern(cut.file);
    if (!files.ok()) return std::move(files).status();
    for (std::string& file : *files) {
      arguments.files.push_back(std::move(file));
      if (*named) arguments.splits.push_back(cut.split);
    }
  }
  return arguments;
}

}  // namespace shardine
