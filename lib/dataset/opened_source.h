// OpenedSource: the source of a SampleSource, whether a dataset with a manifest
// or shards that were scanned: where positions are, and how a shard is opened.
#ifndef SHARDINE_DATASET_OPENED_SOURCE_H_
#define SHARDINE_DATASET_OPENED_SOURCE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/awaited_shards.h"
#include "dataset/dataset_reader.h"
#include "dataset/listed_samples.h"
#include "dataset/sample_read.h"
#include "dataset/shard_pool.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/dataset.h"
#include "shardine/digest.h"
#include "shardine/status.h"

namespace shardine {

struct OpenedSource {
  struct Place {
    std::size_t shard = 0;
    std::uint64_t record = 0;
  };
  // REQUIRES: position < firsts.back().
  Place Find(std::uint64_t position) const;

  std::string path;  // as given
  std::string split;
  std::string variant;
  std::vector<DatasetClass> classes;
  Digest128 order_digest;
  std::vector<std::string> warnings;
  std::vector<std::string> indexes = {};  // as Dataset::indexes()
  std::vector<std::string> shards;        // paths
  // The first position of each shard, then the number of all samples.
  std::vector<std::uint64_t> firsts;
  std::uint64_t bytes = 0;         // of the shards of a dataset
  bool is_foreign = false;         // its shards were scanned, not packed
  bool ids_are_positions = false;  // whatever the sidecars say
  // A dataset has a folder, and may have other splits than this one.
  std::string folder;
  std::vector<std::string> other_splits;
  ListedSamples listed;
  // The manifest counts each sample, of all splits, for a class or for having
  // no label.
  bool all_in_classes = false;
  // Images of its own split that are of kinds that are not decoded, as far as a
  // manifest or a scan says.
  std::uint64_t undecoded = 0;
  // Fields that are text, ascending: as the manifest or a scan says, and those
  // of DatasetOptions::text_fields.
  std::vector<std::string> text_fields;
  // Owns all that it needs but the storage, such as the page cache of all its
  // shards. Thread-safe.
  ShardPool::Opener open;
  // Null: all shards have sidecars.
  std::shared_ptr<const AwaitedShards> awaited = nullptr;
};

// Opens the shards of as many of the first positions as the file limit allows,
// of a server all at a time, for as many tasks; returns their number. A caller
// with too many files open reads these, and goes on when they are closed.
// REQUIRES: as many tasks as positions, or fewer; there is one.
std::size_t OpenTogether(const OpenedSource& source, ShardPool& pool,
                         std::span<const std::uint64_t> positions,
                         std::span<SampleTask> tasks);

// Opens a shard of the reader's manifest with its companions. Damaged entry
// points are left out.
Result<PooledShard> OpenPooledShard(const DatasetReader& reader,
                                    const DatasetReader::ShardRef& ref,
                                    const std::shared_ptr<PageCache>& pages);

// The split of that name; of an empty one the only split. kInvalidArgument says
// which there are. Lives as long as the reader.
Result<const ManifestSplit*> ChooseSplit(const DatasetReader& reader,
                                         const std::string& wanted);

// As SampleSource::Open and OpenShards, without labels of a list.
Result<OpenedSource> OpenDatasetSource(
    ReadableStorage& storage, const std::string& path,
    const DatasetOptions& options,
    const FormatRegistry& formats = BuiltinFormats());
Result<OpenedSource> OpenShardsSource(ReadableStorage& storage,
                                      const std::vector<std::string>& shards,
                                      const DatasetOptions& options,
                                      const FormatRegistry& formats,
                                      const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_DATASET_OPENED_SOURCE_H_
