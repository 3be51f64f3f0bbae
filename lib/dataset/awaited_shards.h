// AwaitedShards: the shards of a dataset that have no sidecar yet, since the
// dataset is still being made or its shards are bare. Their samples are read
// elsewhere, or without one.
#ifndef SHARDINE_DATASET_AWAITED_SHARDS_H_
#define SHARDINE_DATASET_AWAITED_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset/sample_read.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

struct AheadBytes;  // dataset/ask_ahead.h

// Thread-safe. Shards have the numbers that OpenedSource::open takes.
class AwaitedShards {
 public:
  virtual ~AwaitedShards() = default;

  // Whether OpenedSource::open opens the shard. A shard that is made stays so.
  virtual bool IsMade(std::size_t shard) const = 0;
  // Whether the dataset may be one of several: no shard is being made.
  virtual bool MayBeJoined() const { return false; }
  // A hint that these records of the shard, ascending, will be read soon.
  virtual void Want(std::size_t shard, std::span<const std::uint64_t> records,
                    AheadBytes& ahead) const = 0;

  // The calls below give the records of the shard once it is made. REQUIRES: it
  // has these records.

  // The sample as SampleSource::Read() gives it, without entry points.
  virtual Status Read(std::size_t shard, std::uint64_t record,
                      SampleRead& sample) const = 0;
  // Ids, labels and, where Keys() gives no keys, the kinds of images, without a
  // read of the samples. Appends to `entries`.
  virtual Status AddLabels(std::size_t shard, std::uint64_t first,
                           std::uint64_t count,
                           std::vector<IndexEntry>& entries) const = 0;
  // Replaces the contents of `keys`. Empty ones are made up of ids and kinds.
  virtual Status Keys(std::size_t shard, std::uint64_t first,
                      std::uint64_t count,
                      std::vector<std::string>& keys) const = 0;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_AWAITED_SHARDS_H_
