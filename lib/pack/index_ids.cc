#include "pack/index_ids.h"

#include <algorithm>
#include <utility>

namespace shardine {
namespace {

using IdLists = std::vector<std::vector<std::uint64_t>>;

bool AllUnique(const IdLists& lists) {
  std::vector<std::uint64_t> all;
  for (const auto& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

bool AllPresent(const IdLists& lists, const std::vector<ScannedIds>& shards) {
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (lists[i].size() != shards[i].samples) return false;
  }
  return true;
}

IdLists ScanOrder(const std::vector<ScannedIds>& shards) {
  IdLists lists;
  std::uint64_t next = 0;
  for (const ScannedIds& shard : shards) {
    auto& list = lists.emplace_back(shard.samples);
    for (std::uint64_t& id : list) id = next++;
  }
  return lists;
}

bool HaveIds(const std::vector<ScannedIds>& shards) {
  return std::ranges::any_of(shards, [](const ScannedIds& shard) {
    return !shard.record_ids.empty() || !shard.companion_ids.empty();
  });
}

// The ids of shards that share one list.
std::vector<ListIds> ListIdsOf(const std::vector<ScannedIds>& shards) {
  const auto with = [&](IdLists lists, bool by_position) {
    std::vector<ListIds> found;
    for (auto& list : lists) found.push_back({std::move(list), by_position});
    return found;
  };
  if (!HaveIds(shards)) return with(ScanOrder(shards), true);
  for (const auto member :
       {&ScannedIds::record_ids, &ScannedIds::companion_ids}) {
    IdLists lists;
    for (const ScannedIds& shard : shards) lists.push_back(shard.*member);
    if (AllPresent(lists, shards) && AllUnique(lists)) {
      return with(std::move(lists), false);
    }
  }
  return with(IdLists(shards.size()), false);
}

}  // namespace

ChosenIds ChooseIds(std::vector<ScannedIds> shards, ListScope scope) {
  ChosenIds chosen;
  if (scope == ListScope::kAllShards) chosen.list_ids = ListIdsOf(shards);
  IdLists record_ids;
  IdLists companion_ids;
  bool any_ids = false;
  for (ScannedIds& shard : shards) {
    any_ids = any_ids || !shard.record_ids.empty();
    if (scope == ListScope::kShard) {
      chosen.list_ids.push_back(std::move(ListIdsOf({shard})[0]));
    }
    record_ids.push_back(std::move(shard.record_ids));
    companion_ids.push_back(std::move(shard.companion_ids));
  }
  if (AllPresent(record_ids, shards) && AllUnique(record_ids)) {
    chosen.ids = std::move(record_ids);
  } else if (AllPresent(companion_ids, shards) && AllUnique(companion_ids)) {
    chosen.ids = std::move(companion_ids);
    chosen.warning =
        "the ids in the records are not unique; those of the native index are "
        "used";
  } else {
    chosen.ids = ScanOrder(shards);
    chosen.warning =
        std::string(any_ids ? "the ids in the records are not unique"
                            : "the records hold no ids") +
        "; samples are numbered in scan order";
  }
  return chosen;
}

}  // namespace shardine
