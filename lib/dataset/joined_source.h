// Several sources as one: their shards, one after another.
#ifndef SHARDINE_DATASET_JOINED_SOURCE_H_
#define SHARDINE_DATASET_JOINED_SOURCE_H_

#include <vector>

#include "dataset/opened_source.h"
#include "shardine/status.h"

namespace shardine {

// Path, split and variant come from the first source on a server, if there is
// one, else from the first; classes from all. The order digest is XXH3-128 of
// all order digests, low halves first. `ids_are_positions` is false for
// several. kInvalidArgument: a label has one name here and another there, or a
// name two labels: mixed they would be mistaken for each other. REQUIRES: there
// is one.
Result<OpenedSource> JoinSources(const std::vector<const OpenedSource*>& parts);

}  // namespace shardine

#endif  // SHARDINE_DATASET_JOINED_SOURCE_H_
