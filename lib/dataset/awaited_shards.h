// AwaitedShards: the shards of a dataset that is still being made. Until a
// shard is made, its samples are read where it will have them from.
#ifndef SHARDINE_DATASET_AWAITED_SHARDS_H_
#define SHARDINE_DATASET_AWAITED_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/sample_read.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

// Thread-safe. Shards have the numbers that OpenedSource::open takes.
class AwaitedShards {
 public:
  virtual ~AwaitedShards() = default;

  // Whether OpenedSource::open opens the shard. A shard that is made stays so.
  virtual bool IsMade(std::size_t shard) const = 0;
  // A hint that samples of the shard will be read soon.
  virtual void Want(std::size_t shard) const = 0;

  // The calls below give the records of the shard once it is made. REQUIRES: it
  // has these records.

  // The sample as SampleSource::Read() gives it, without entry points.
  virtual Status Read(std::size_t shard, std::uint64_t record,
                      SampleRead& sample) const = 0;
  // Ids and labels, without a read of the samples. Appends to `entries`.
  virtual Status AddLabels(std::size_t shard, std::uint64_t first,
                           std::uint64_t count,
                           std::vector<IndexEntry>& entries) const = 0;
  // Replaces the contents of `keys`.
  virtual Status Keys(std::size_t shard, std::uint64_t first,
                      std::uint64_t count,
                      std::vector<std::string>& keys) const = 0;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_AWAITED_SHARDS_H_
