// Files beside archives that say how many samples these hold. FORMAT.md,
// "Counts beside archives".
#ifndef SHARDINE_FORMATS_WEBDATASET_COUNT_FILES_H_
#define SHARDINE_FORMATS_WEBDATASET_COUNT_FILES_H_

#include <string_view>
#include <vector>

#include "shard/count_file.h"

namespace shardine {

// timm's _info.json and info.json.
Result<std::vector<SaidSplit>> ReadTimmCounts(std::string_view text);
// wids' index.json and shardindex.json.
Result<std::vector<SaidSplit>> ReadWidsCounts(std::string_view text);
// OpenCLIP's sizes.json.
Result<std::vector<SaidSplit>> ReadSizes(std::string_view text);

inline constexpr CountFile kWebDatasetCountFiles[] = {
    {"_info.json", ReadTimmCounts}, {"info.json", ReadTimmCounts},
    {"index.json", ReadWidsCounts}, {"shardindex.json", ReadWidsCounts},
    {"sizes.json", ReadSizes},
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_COUNT_FILES_H_
