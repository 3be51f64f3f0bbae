// Several sources as one: their shards, one after another.
#ifndef SHARDINE_DATASET_JOINED_SOURCE_H_
#define SHARDINE_DATASET_JOINED_SOURCE_H_

#include <vector>

#include "dataset/opened_source.h"
#include "shardine/status.h"

namespace shardine {

// Path, split and variant are the first one's that is on a server, if there is
// one, else the first one's; classes those of all. The order digest is XXH3-128
// of all order digests, low halves first. What `ids_are_positions` says of one
// is not said of all. kInvalidArgument: a label has one name here and another
// there, or a name two labels: mixed they would be mistaken for each other.
// REQUIRES: there is one.
Result<OpenedSource> JoinSources(const std::vector<const OpenedSource*>& parts);

}  // namespace shardine

#endif  // SHARDINE_DATASET_JOINED_SOURCE_H_
