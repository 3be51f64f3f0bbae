// Reindex: the files beside the shards of a dataset, made again; the shards,
// the samples and their digests stay as they are.
#ifndef SHARDINE_REINDEX_H_
#define SHARDINE_REINDEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/entry_points.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct ReindexOptions {
  // Folder of a dataset, packed or indexed in place; the variants that its
  // manifest lists are reindexed with it.
  std::string dataset;
  EntryPoints entry_points = EntryPoints::kAuto;  // that it is to have
  unsigned threads = 0;
};

struct ReindexedDataset {
  std::string path;
  std::uint64_t samples = 0;
  EntryPointCounts entry_points;
  std::uint64_t entry_point_bytes = 0;  // of their files
  std::uint64_t shard_bytes = 0;
  std::uint64_t files_written = 0;
  std::uint64_t files_removed = 0;
};

struct ReindexResult {
  std::vector<ReindexedDataset> datasets;  // the one asked for, its variants
  std::vector<std::string> warnings;
};

// Entry points that are there and whole are kept; others are found by one scan
// of their shard. An added file exists before the manifest lists it, and a
// removed one leaves the manifest first: after kCancelled, a crash or a kill
// the dataset is a sound one, and the same call finishes the work.
//
// kNotFound: no dataset. kCorrupt: a shard or its sidecar is damaged (record,
// key). kAlreadyExists: another reindex is at work on it.
Result<ReindexResult> Reindex(const ReindexOptions& options,
                              const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_REINDEX_H_
