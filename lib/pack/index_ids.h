// Which ids, keys and labels the samples of shards that were indexed in place
// get: those of their records, of the native index, of a list, or made up.
#ifndef SHARDINE_PACK_INDEX_IDS_H_
#define SHARDINE_PACK_INDEX_IDS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace shardine {

// The ids that a scan found in one shard, in record order.
struct ScannedIds {
  std::vector<std::uint64_t> record_ids;     // empty: the format has none
  std::vector<std::uint64_t> companion_ids;  // empty: none, or unusable
  std::uint64_t samples = 0;
};

// The record that an id in a list names, in a shard without keys.
struct ListIds {
  // The id of each record; empty: the records hold ids, but not one each.
  std::vector<std::uint64_t> ids;
  bool by_position = false;  // nothing that the records hold
};

struct ChosenIds {
  // Per shard: ids over the whole dataset, and those its list speaks of.
  std::vector<std::vector<std::uint64_t>> ids;
  std::vector<ListIds> list_ids;
  std::string warning;  // empty when the records' own ids could be kept
};

// Whether a list is for one shard, or for all of them.
enum class ListScope : std::uint8_t { kShard, kAllShards };

// The records' ids if they are unique over all shards, else those of the native
// indexes if these are, else scan order. For a list the same, over its scope;
// but scan order only where neither records nor native indexes have ids.
ChosenIds ChooseIds(std::vector<ScannedIds> shards,
                    ListScope scope = ListScope::kShard);

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEX_IDS_H_
