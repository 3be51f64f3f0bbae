// A word for LayoutParameter::of_foreign.
#ifndef SHARDINE_SHARD_FOREIGN_VALUE_H_
#define SHARDINE_SHARD_FOREIGN_VALUE_H_

#include <string_view>

namespace shardine {

// A conversion of others' shards to the same layout takes what their files have
// (Format::detect_layout). Reading does not depend on such a parameter, so
// files that differ in it are of one dataset.
inline constexpr std::string_view kAsFound = "as found";

}  // namespace shardine

#endif  // SHARDINE_SHARD_FOREIGN_VALUE_H_
