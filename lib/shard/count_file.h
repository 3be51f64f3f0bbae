// Files beside shards in which their programs note how many samples the shards
// hold: either of the two may have been changed since.
#ifndef SHARDINE_SHARD_COUNT_FILE_H_
#define SHARDINE_SHARD_COUNT_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// The entries of a count file for the shards of one split.
struct SaidSplit {
  struct Shard {
    std::string path;  // from the file's folder, or from elsewhere
    std::optional<std::uint64_t> samples;
  };
  std::string name;  // empty: the split has none
  std::optional<std::uint64_t> samples;
  std::vector<Shard> shards;
};

struct CountFile {
  std::string_view name;  // "_info.json"
  // The splits in a file with this text; empty where the file is about
  // something else. kUnsupported: the text has not the form of such files.
  Result<std::vector<SaidSplit>> (*read)(std::string_view text);
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_COUNT_FILE_H_
