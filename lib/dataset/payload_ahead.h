// PayloadAhead: asks a server for the payloads of the samples that follow,
// while those before them are read.
#ifndef SHARDINE_DATASET_PAYLOAD_AHEAD_H_
#define SHARDINE_DATASET_PAYLOAD_AHEAD_H_

#include <cstdint>
#include <deque>

#include "dataset/ask_ahead.h"
#include "io/readable_storage.h"
#include "shard/shard_index.h"

namespace shardine {

// For a reader of all samples of a shard in order. Thread-compatible.
class PayloadAhead {
 public:
  // Bytes that it asks for at a time.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

  // Both must outlive it.
  PayloadAhead(const RandomAccessFile& shard, const ShardIndex& index)
      : shard_(shard), index_(index) {}

  // Called before the record is read; records ascend.
  void Reach(std::uint64_t record);

 private:
  struct Chunk {
    std::uint64_t end = 0;  // record
    std::uint64_t bytes = 0;
    AheadBytes ahead;
  };

  const RandomAccessFile& shard_;
  const ShardIndex& index_;
  std::deque<Chunk> chunks_;
  std::uint64_t next_ = 0;  // record that was not asked for
  std::uint64_t room_ = kMostBytes;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_PAYLOAD_AHEAD_H_
