// Short names of formats, as people call them by their files.
#ifndef SHARDINE_FORMAT_NAMES_H_
#define SHARDINE_FORMAT_NAMES_H_

#include <string_view>

namespace shardine {

// "webdataset" of "wds" and "tar"; any other name is its own.
std::string_view FullFormatName(std::string_view name);

}  // namespace shardine

#endif  // SHARDINE_FORMAT_NAMES_H_
