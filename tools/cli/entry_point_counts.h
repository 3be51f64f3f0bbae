// Counts of entry points, as results show them.
#ifndef SHARDINE_CLI_ENTRY_POINT_COUNTS_H_
#define SHARDINE_CLI_ENTRY_POINT_COUNTS_H_

#include <string>

#include "cli/json_text.h"
#include "shardine/entry_points.h"

namespace shardine {

// "entry points of 6 images, 1 damaged image without"; empty if there are
// neither.
std::string EntryPointText(const EntryPointCounts& counts);
Json EntryPointJson(const EntryPointCounts& counts);

}  // namespace shardine

#endif  // SHARDINE_CLI_ENTRY_POINT_COUNTS_H_
