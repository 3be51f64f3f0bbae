// The entry points of an existing shard: found by a scan of it, or compared
// with its contents.
#ifndef SHARDINE_DATASET_SHARD_ENTRY_POINTS_H_
#define SHARDINE_DATASET_SHARD_ENTRY_POINTS_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "dataset/dataset_reader.h"
#include "io/storage.h"
#include "shard/entry_point_file.h"
#include "shard/format_registry.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

// Samples whose rows a walk through a file holds at a time.
inline constexpr std::uint64_t kEntryPointRun = 816;

// A shard of a dataset. All must outlive it.
struct IndexedShard {
  const DatasetReader& dataset;
  const DatasetReader::ShardRef& ref;
  const ShardIndex& index;
};

// Reads the shard, compares each payload with its CRC and writes the entry
// points to `path`; nothing if the shard needs no file. `on_record` is called
// with the bytes of each record that is read.
Status FindEntryPoints(Storage& storage, const FormatAndLayout& format,
                       const IndexedShard& shard, const std::string& path,
                       const std::function<void(std::uint64_t)>& on_record,
                       const std::stop_token& stop);

// Reads all of the file: each byte as its CRC says, each sample's payload that
// of the index.
Status CheckEntryPoints(const EntryPointFile& points, const ShardIndex& index);

}  // namespace shardine

#endif  // SHARDINE_DATASET_SHARD_ENTRY_POINTS_H_
