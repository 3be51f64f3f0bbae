// Goes through all entries of a sidecar in record order, some thousands at a
// time.
#ifndef SHARDINE_DATASET_INDEX_WALK_H_
#define SHARDINE_DATASET_INDEX_WALK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

// Stops at the first failure, of the sidecar or of `visit`. kCorrupt, too: the
// samples have together more than twice the bytes of the shard.
Status WalkIndex(
    const ShardIndex& index,
    const std::function<Status(std::uint64_t record, const IndexEntry& entry,
                               const std::string& key)>& visit);

// The image among the fields of an entry; nullptr if it has none.
const IndexField* ImageFieldOf(const IndexEntry& entry);
// The CRC-32C of an image of the entry; nullopt: an index of version 1 has one
// for all fields together.
std::optional<std::uint32_t> ImageCrcOf(const IndexEntry& entry,
                                        const IndexField& image);

}  // namespace shardine

#endif  // SHARDINE_DATASET_INDEX_WALK_H_
