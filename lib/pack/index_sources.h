// The files that are to be indexed: their places and their formats.
#ifndef SHARDINE_PACK_INDEX_SOURCES_H_
#define SHARDINE_PACK_INDEX_SOURCES_H_

#include <vector>

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pack/index_sidecar.h"
#include "shard/format_registry.h"
#include "shardine/index.h"
#include "shardine/status.h"

namespace shardine {

// Where shards are read, and where their sidecars go.
struct IndexPlace {
  ReadableStorage& shards;
  OutputFolder output;
  // A dataset that names shards by their way from it; else in memory, where
  // they keep the paths that were given.
  bool on_disk = true;
};

// With splits as asked for, and lists that lie beside them. kInvalidArgument: a
// file that cannot be named or is given twice, or no file at all.
Result<std::vector<IndexSource>> FindSources(const IndexPlace& place,
                                             const IndexOptions& options,
                                             const FormatRegistry& formats);

// The format that was asked for, or the one that all files are in.
// kInvalidArgument: they are in several.
Result<FormatAndLayout> CommonFormat(ReadableStorage& storage,
                                     const std::vector<IndexSource>& sources,
                                     const IndexOptions& options,
                                     const FormatRegistry& formats);

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEX_SOURCES_H_
