// Which formats shards can be written in: some choices are about reading alone.
#ifndef SHARDINE_PACK_WRITTEN_FORMAT_H_
#define SHARDINE_PACK_WRITTEN_FORMAT_H_

#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// `format`, with what it says about reading alone left out.
FormatAndLayout WrittenAs(FormatAndLayout format);

// kInvalidArgument if `format` chooses what is read of a file.
Status CheckWritten(const FormatAndLayout& format);

}  // namespace shardine

#endif  // SHARDINE_PACK_WRITTEN_FORMAT_H_
