// From files to their sidecars and the manifest around them: on the disk for
// index, in memory for shards that are given without a dataset.
#ifndef SHARDINE_PACK_INDEXER_H_
#define SHARDINE_PACK_INDEXER_H_

#include <map>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "dataset/rejects.h"
#include "dataset/skipped_records.h"
#include "pack/index_sources.h"
#include "shard/format_registry.h"
#include "shardine/index.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct IndexedShards {
  Manifest manifest;  // to be published
  PackResult result;
  // The records that sources leave out as bad.
  std::vector<Reject> lost = {};
  std::map<std::string, SkippedRecords> skipped = {};  // by path
};

// The sidecars are under their final names and synced afterwards. Failures as
// those of IndexShards(). REQUIRES: splits were chosen (pack/index_split.h).
Result<IndexedShards> ScanIntoIndex(const IndexPlace& place,
                                    const IndexOptions& options, const Job& job,
                                    const FormatAndLayout& format,
                                    std::vector<IndexSource> sources);

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEXER_H_
