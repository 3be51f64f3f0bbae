// ScannedShards: sidecars and a manifest in memory, made by a scan of shards
// that are in no dataset.
#ifndef SHARDINE_DATASET_SCANNED_SHARDS_H_
#define SHARDINE_DATASET_SCANNED_SHARDS_H_

#include <map>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "dataset/rejects.h"
#include "dataset/skipped_records.h"
#include "io/memory_storage.h"

namespace shardine {

// The manifest names shards by the paths that were given for them, and sidecars
// by their names in `sidecars`.
struct ScannedShards {
  MemoryStorage sidecars;
  Manifest manifest;
  std::vector<std::string> warnings;
  // Records that could not be read, in the order of shards and records, and
  // which these are by the path of their shard.
  std::vector<Reject> lost = {};
  std::map<std::string, SkippedRecords> skipped = {};
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_SCANNED_SHARDS_H_
