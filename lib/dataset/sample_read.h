// SampleRead: a sample as it was read; and the steps by which many are read
// together.
#ifndef SHARDINE_DATASET_SAMPLE_READ_H_
#define SHARDINE_DATASET_SAMPLE_READ_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "dataset/payload_arena.h"
#include "dataset/shard_pool.h"
#include "shard/entry_point_file.h"
#include "shard/payload.h"
#include "shard/shard_index.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

enum class EntryPointUse : std::uint8_t { kSkip, kRead };

// The memory is used again for the next one.
struct SampleRead {
  // Names of the fields that are wanted; null: all that lie in the shard as
  // such, the image among them. Other fields are not read.
  const std::vector<std::string>* wanted = nullptr;
  IndexEntry entry;  // labels replaced if an override says so; fields as read
  std::vector<std::string> unread;  // with `wanted` null: the others' names
  // After a failure: a field that is wanted lies nowhere in the shard.
  bool is_nowhere = false;
  ByteView payload;  // in the arena or, without one, in `memory`
  ByteBuffer memory;
  ByteBuffer entry_points;  // of the image; empty: none
  PayloadArena* arena = nullptr;
};

// One of several samples that are read together, and its result.
struct SampleTask {
  std::shared_ptr<const PooledShard> shard;
  std::uint64_t record = 0;
  SampleRead* sample = nullptr;
  Status status;

  // On the way.
  EntryRead entry;
  EntryPointRead points;
  bool has_points = false;  // so far
  PayloadRead payload;
};

// Leaves the fields of these names, as KeepFields() does (shard/payload.h).
void KeepNamed(const std::vector<std::string>& names, IndexEntry& entry);

// Puts the fields that are wanted into the entry, their extents being places in
// the payload, and copies their bytes to the payload, without CRCs.
void CopyFields(std::span<const FieldView> fields, SampleRead& sample);

// Reads all those whose status is no failure yet. REQUIRES: of these, the shard
// is open, and the sample has neither payload nor points.
void ReadSamples(std::span<SampleTask> tasks, EntryPointUse use);

}  // namespace shardine

#endif  // SHARDINE_DATASET_SAMPLE_READ_H_
