// The formats that shards can be written in: some choices are for reading
// alone.
#ifndef SHARDINE_PACK_WRITTEN_FORMAT_H_
#define SHARDINE_PACK_WRITTEN_FORMAT_H_

#include "shard/format_registry.h"
#include "shardine/status.h"
#include "source/shard_plan.h"

namespace shardine {

// `format` without the values for reading alone.
FormatAndLayout WrittenAs(FormatAndLayout format);

// kInvalidArgument if `format` chooses the parts read of a file.
Status CheckWritten(const FormatAndLayout& format);

// As Format::check_keys says of each shard, before any is written: the failure
// of the first in order.
Status CheckKeysOfShards(const FormatAndLayout& format, const ShardPlan& plan);

}  // namespace shardine

#endif  // SHARDINE_PACK_WRITTEN_FORMAT_H_
