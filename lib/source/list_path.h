// Paths as lists and tables write them.
#ifndef SHARDINE_SOURCE_LIST_PATH_H_
#define SHARDINE_SOURCE_LIST_PATH_H_

#include <string_view>

namespace shardine {

// The path without "./" before it.
std::string_view WithoutDots(std::string_view path);

// Whether a part of the path is "..".
bool HasDotDot(std::string_view path);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LIST_PATH_H_
