// Where the companions of a shard lie: sidecar index (.sdx), entry points
// (.sde) and the native indexes of formats whose programs take them by path. A
// folder of their own keeps them out of the globs and listings ("train-*",
// "*.tar*", a whole folder) by which other programs find shards. Older datasets
// have them beside the shard; a manifest names each by its path.
#ifndef SHARDINE_SHARD_COMPANION_FOLDER_H_
#define SHARDINE_SHARD_COMPANION_FOLDER_H_

#include <string>

namespace shardine {

inline constexpr char kCompanionFolder[] = ".shardine";

// "out/train-00000-of-00008.rec" -> "out/.shardine/train-00000-of-00008.rec".
std::string InCompanionFolder(const std::string& shard);

}  // namespace shardine

#endif  // SHARDINE_SHARD_COMPANION_FOLDER_H_
