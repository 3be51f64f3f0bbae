// _info.json, in which timm's WebDataset reader looks up splits, shards and
// numbers of samples. FORMAT.md, "_info.json".
#ifndef SHARDINE_FORMATS_WEBDATASET_TIMM_INFO_H_
#define SHARDINE_FORMATS_WEBDATASET_TIMM_INFO_H_

#include <string_view>

#include "shard/format.h"

namespace shardine {

// A value of kMetadataParameter.
inline constexpr std::string_view kTimmMetadata = "timm";

// As Format::write_metadata.
Status WriteTimmInfo(ReadableStorage& storage, const DatasetFacts& facts,
                     const LayoutChoice& layout, MetadataSink& sink);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_TIMM_INFO_H_
