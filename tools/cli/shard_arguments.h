// The operands FILE... or NAME=FILE... of `shardine index`.
#ifndef SHARDINE_TOOLS_CLI_SHARD_ARGUMENTS_H_
#define SHARDINE_TOOLS_CLI_SHARD_ARGUMENTS_H_

#include <string>
#include <vector>

#include "shardine/status.h"

namespace shardine {

struct ShardArguments {
  std::vector<std::string> files;
  std::vector<std::string> splits;  // of each file; empty if none is named
};

// Operands are all FILE, or all NAME=FILE; a NAME is letters, digits, `_`, `.`
// and `-`, so that ./a=b is a FILE. A FILE may be a pattern of ExpandPattern().
// kInvalidArgument quotes an operand without a file, or one of the other kind
// than the first.
Result<ShardArguments> ParseShardArguments(
    const std::vector<std::string>& operands);

}  // namespace shardine

#endif  // SHARDINE_TOOLS_CLI_SHARD_ARGUMENTS_H_
