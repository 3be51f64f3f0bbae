// Indexes that the formats' own tools make of a file, whoever wrote that.
#ifndef SHARDINE_SHARD_NATIVE_INDEXER_H_
#define SHARDINE_SHARD_NATIVE_INDEXER_H_

#include <span>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

struct NativeIndexer {
  std::string_view format;  // its name
  // The text of the index, whatever the records hold. kUnsupported for a file
  // that is compressed: it has no places to tell.
  Result<std::string> (*index_of)(const RandomAccessFile& file);
};

// Of the formats whose programs have such a tool. Defined beside the table of
// formats.
std::span<const NativeIndexer> NativeIndexers();

}  // namespace shardine

#endif  // SHARDINE_SHARD_NATIVE_INDEXER_H_
