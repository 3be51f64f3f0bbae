// The allowed names of splits: they become the beginning of file names.
#ifndef SHARDINE_SOURCE_SPLIT_NAME_H_
#define SHARDINE_SOURCE_SPLIT_NAME_H_

#include <string_view>

namespace shardine {

// Letters, digits, `_`, `.` and `-`, the first a letter or digit.
bool IsSplitName(std::string_view name);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SPLIT_NAME_H_
