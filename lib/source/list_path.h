// Paths as lists and tables write them.
#ifndef SHARDINE_SOURCE_LIST_PATH_H_
#define SHARDINE_SOURCE_LIST_PATH_H_

#include <string>
#include <string_view>

#include "io/readable_storage.h"

namespace shardine {

// The path without "./" before it.
std::string_view WithoutDots(std::string_view path);

// Whether a part of the path is "..".
bool HasDotDot(std::string_view path);

// Puts slashes for the backslashes of a path that no file below `root` has.
void UseSlashes(ReadableStorage& storage, const std::string& root,
                std::string& path);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LIST_PATH_H_
