#include "cli/shard_arguments.h"

#include <glob.h>
#include <sys/stat.h>

#include <optional>
#include <utility>

#include "shardine/escape.h"

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

// The files that fit the pattern; `pattern` itself if none does, so that the
// error names it.
std::vector<std::string> Expand(const std::string& pattern) {
  struct stat info {};
  if (pattern.find_first_of("*?[") == pattern.npos ||
      stat(pattern.c_str(), &info) == 0) {
    return {pattern};
  }
  glob_t found{};
  std::vector<std::string> files;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  if (files.empty()) files.push_back(pattern);
  return files;
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
    if (!*named) {
      arguments.files.push_back(std::move(cut.file));
      continue;
    }
    for (std::string& file : Expand(cut.file)) {
      arguments.files.push_back(std::move(file));
      arguments.splits.push_back(cut.split);
    }
  }
  return arguments;
}

}  // namespace shardine
