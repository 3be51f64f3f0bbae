// The files that a pattern stands for, as shells and WebDataset write them.
#ifndef SHARDINE_FILE_PATTERN_H_
#define SHARDINE_FILE_PATTERN_H_

#include <string>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// The path of an existing file stands for itself. Else braces are expanded
// first, also of addresses: `{a,b}`, and `{000..149}` with numbers as wide as
// the first; several multiply, with the last one changing fastest. Then local
// paths with `*`, `?` or `[` stand for the files that fit them, sorted, or for
// themselves where none does, so that errors name them. kInvalidArgument: more
// than a million files, or than 32 braces.
Result<std::vector<std::string>> ExpandPattern(const std::string& pattern);

}  // namespace shardine

#endif  // SHARDINE_FILE_PATTERN_H_
