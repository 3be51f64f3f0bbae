// AskAhead: tells storage which bytes of a shard, and of its companions, will
// be read soon.
#ifndef SHARDINE_DATASET_ASK_AHEAD_H_
#define SHARDINE_DATASET_ASK_AHEAD_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataset/sample_read.h"
#include "dataset/shard_pool.h"
#include "io/readable_storage.h"
#include "shard/extent.h"
#include "shard/shard_index.h"

namespace shardine {

// The parts of each sample that are to be read.
struct AheadUse {
  // Names of fields; must outlive it.
  const std::vector<std::string>& wanted;
  EntryPointUse points = EntryPointUse::kSkip;
};

// Bytes that storage holds for its readers, until this is destroyed.
struct AheadBytes {
  std::uint64_t room = 0;  // bytes that may be held beside these
  std::vector<std::shared_ptr<const void>> kept;
};

// These samples of the shard; none if those at both ends are in memory. Reads
// the rows from the first to the last. Damaged and unreadable rows are no error
// here: the later read reports them. REQUIRES: they are samples of the shard,
// in ascending order, and there is one.
void AskAhead(const PooledShard& shard, std::span<const std::uint64_t> records,
              const AheadUse& use, AheadBytes& ahead);

// The payloads of these samples, whatever fields are left in their entries.
void AskPayloads(const RandomAccessFile& shard,
                 std::span<const IndexEntry> entries, AheadBytes& ahead);

// In order, those joined that are not far apart and, together, not larger than
// a range of a server is to be; none that does not end within `bytes`.
std::vector<Extent> JoinExtents(std::vector<Extent> extents,
                                std::uint64_t bytes);

}  // namespace shardine

#endif  // SHARDINE_DATASET_ASK_AHEAD_H_
