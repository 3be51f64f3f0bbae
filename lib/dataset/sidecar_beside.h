// The sidecar of a shard that is opened without its dataset: of a few shards of
// a dataset, or of shards that were copied with their sidecars alone.
#ifndef SHARDINE_DATASET_SIDECAR_BESIDE_H_
#define SHARDINE_DATASET_SIDECAR_BESIDE_H_

#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "dataset/shard_scan.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// The path of a sidecar in the companions' folder or beside the shard, and in
// `scan` all that it says in place of a scan. Empty: there is none, or its
// header or the payloads of some samples do not fit the shard, which a warning
// of `scan` says.
std::string FindSidecarBeside(ReadableStorage& storage,
                              const RandomAccessFile& shard, ShardScan& scan);

// The manifest that lists all these shards, from the folder of the first.
// nullopt: there is none.
std::optional<Manifest> FindManifestOf(ReadableStorage& storage,
                                       const std::vector<std::string>& shards);

}  // namespace shardine

#endif  // SHARDINE_DATASET_SIDECAR_BESIDE_H_
