// Compares the sample counts in files beside shards (shard/count_file.h) with
// the shards.
#ifndef SHARDINE_DATASET_SAID_COUNTS_H_
#define SHARDINE_DATASET_SAID_COUNTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shard/format.h"
#include "shardine/status.h"

namespace shardine {

struct CountedShard {
  std::string path;
  std::uint64_t samples = 0;
};

// The shards that are looked at: a dataset, or one shard among others.
enum class CountedScope : std::uint8_t { kDataset, kOneShard };

// At most one status for each count file in a folder of `shards`. kCorrupt: the
// file says another number than there is, or, for kDataset, lists a shard that
// does not exist. Any other code: the file cannot be read. Other shards of a
// split may be left out on purpose, and then its sum is not looked at.
std::vector<Status> CheckSaidCounts(ReadableStorage& storage,
                                    const Format& format,
                                    std::span<const CountedShard> shards,
                                    CountedScope scope);

// The same for a dataset, as warnings.
std::vector<std::string> SaidCountWarnings(
    ReadableStorage& storage, const Format& format,
    std::span<const CountedShard> shards);

}  // namespace shardine

#endif  // SHARDINE_DATASET_SAID_COUNTS_H_
