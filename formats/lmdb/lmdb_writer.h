// Writes samples to an LMDB file in one of our layouts. FORMAT.md.
#ifndef SHARDINE_FORMATS_LMDB_LMDB_WRITER_H_
#define SHARDINE_FORMATS_LMDB_LMDB_WRITER_H_

#include <memory>

#include "shard/format.h"

namespace shardine {

// kUnsupported from Append() for samples that the layout's Limits exclude, and
// for a key that was there before where keys must be unique.
Result<std::unique_ptr<ShardWriter>> CreateLmdbWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_LMDB_WRITER_H_
