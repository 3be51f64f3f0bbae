// One .idx for all shards of a split: ImageRecordIter and DALI want it beside a
// list of .rec files. FORMAT.md, "Joined index".
#ifndef SHARDINE_FORMATS_RECORDIO_JOINED_INDEX_H_
#define SHARDINE_FORMATS_RECORDIO_JOINED_INDEX_H_

#include <string_view>

#include "shard/format.h"

namespace shardine {

// A value of kMetadataParameter.
inline constexpr std::string_view kJoinedIndex = "joined-index";

// As Format::write_metadata. kUnsupported also for a shard without an .idx;
// kCorrupt for an .idx that has another number of lines than its shard has
// samples, or an offset beyond its shard.
Status WriteJoinedIndex(ReadableStorage& storage, const DatasetFacts& facts,
                        const LayoutChoice& layout, MetadataSink& sink);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_RECORDIO_JOINED_INDEX_H_
