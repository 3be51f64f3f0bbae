// Asks a server for the payloads of many samples before any of them is waited
// for. Files on a local disk are told what follows, and keep nothing.
#ifndef SHARDINE_DATASET_PAYLOAD_AHEAD_H_
#define SHARDINE_DATASET_PAYLOAD_AHEAD_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "io/readable_storage.h"
#include "shard/shard_index.h"

namespace shardine {

// What was asked for, for as long as it lives.
using KeptAhead = std::vector<std::shared_ptr<const void>>;

// Asks for the payloads of `count` neighbours from `record` on; ranges near
// each other are one request. `room`: RandomAccessFile::ReadAhead. What fails
// is found by who reads.
void AskPayloads(const RandomAccessFile& shard, const ShardIndex& index,
                 std::uint64_t record, std::uint64_t count, std::uint64_t& room,
                 KeptAhead& kept);

// For one who reads all samples of a shard in order. Thread-compatible.
class PayloadAhead {
 public:
  // Both must outlive it.
  PayloadAhead(const RandomAccessFile& shard, const ShardIndex& index)
      : shard_(shard), index_(index) {}

  // Called before the record is read; records ascend.
  void Reach(std::uint64_t record);

 private:
  struct Chunk {
    std::uint64_t end = 0;  // record
    std::uint64_t bytes = 0;
    KeptAhead kept;
  };

  const RandomAccessFile& shard_;
  const ShardIndex& index_;
  std::deque<Chunk> chunks_;
  std::uint64_t next_ = 0;  // record that was not asked for
  std::uint64_t room_ = std::uint64_t{64} << 20;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_PAYLOAD_AHEAD_H_
