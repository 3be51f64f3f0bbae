// Which formats shards can be written in: some choices are about reading alone.
#ifndef SHARDINE_PACK_WRITTEN_FORMAT_H_
#define SHARDINE_PACK_WRITTEN_FORMAT_H_

#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// kInvalidArgument if `format` picks a split of files that are read.
Status CheckWritten(const FormatAndLayout& format);

}  // namespace shardine

#endif  // SHARDINE_PACK_WRITTEN_FORMAT_H_
