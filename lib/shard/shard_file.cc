#include "shard/shard_file.h"

#include <algorithm>

namespace shardine {

bool IsInDirectory(const FormatAndLayout& format) {
  const auto parameters = format.layout->parameters;
  const auto known = std::ranges::find(parameters, kDirectoryParameter.name,
                                       &LayoutParameter::name);
  return known != parameters.end() &&
         format.value(kDirectoryParameter.name) == kInDirectory;
}

std::string ShardFileOf(const FormatAndLayout& format,
                        const std::string& shard) {
  if (!IsInDirectory(format)) return shard;
  return JoinPath(shard, std::string(format.format->directory_file));
}

}  // namespace shardine
