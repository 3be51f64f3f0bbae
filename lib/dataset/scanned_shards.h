// ScannedShards: sidecars and a manifest in memory, made by a scan of shards
// that are in no dataset.
#ifndef SHARDINE_DATASET_SCANNED_SHARDS_H_
#define SHARDINE_DATASET_SCANNED_SHARDS_H_

#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "io/memory_storage.h"

namespace shardine {

// The manifest names shards by the paths that were given for them, and sidecars
// by their names in `sidecars`.
struct ScannedShards {
  MemoryStorage sidecars;
  Manifest manifest;
  std::vector<std::string> warnings;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_SCANNED_SHARDS_H_
