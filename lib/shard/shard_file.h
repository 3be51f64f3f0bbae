// Shards that are a folder with one file in it ("x.lmdb/data.mdb"), because the
// programs of their format open folders: a parameter of a layout asks for it.
// All companions of such a shard go by the folder's name.
#ifndef SHARDINE_SHARD_SHARD_FILE_H_
#define SHARDINE_SHARD_SHARD_FILE_H_

#include <string>
#include <string_view>

#include "shard/format_registry.h"

namespace shardine {

inline constexpr std::string_view kInDirectory = "yes";
inline constexpr std::string_view kAsFile = "no";
// For layouts of formats that have a Format::directory_file.
inline constexpr LayoutParameter kDirectoryParameter = {
    .name = "dir",
    .default_value = kAsFile,
    .values = "yes or no",
    .is_valid = IsOneOf<kInDirectory, kAsFile>,
    .said_by_default = false};

// Are new shards of that layout folders?
bool IsInDirectory(const FormatAndLayout& format);
// The file of the shard of that name or path: itself, or the one in it.
std::string ShardFileOf(const FormatAndLayout& format,
                        const std::string& shard);

}  // namespace shardine

#endif  // SHARDINE_SHARD_SHARD_FILE_H_
