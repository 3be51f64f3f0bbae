#include "pack/index_ids.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/list_file.h"

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

// What a list beside one shard means by an id: the same choice, made for that
// shard alone.
std::vector<std::uint64_t> ListIds(const ScannedIds& shard) {
  for (const auto& list : {shard.record_ids, shard.companion_ids}) {
    if (list.size() == shard.samples && AllUnique({list})) return list;
  }
  return ScanOrder({shard})[0];
}

}  // namespace

ChosenIds ChooseIds(std::vector<ScannedIds> shards) {
  ChosenIds chosen;
  IdLists record_ids;
  IdLists companion_ids;
  bool any_ids = false;
  for (ScannedIds& shard : shards) {
    any_ids = any_ids || !shard.record_ids.empty();
    chosen.list_ids.push_back(ListIds(shard));
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

Result<ListedSamples> ListedSamples::Read(Storage& storage,
                                          const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader(*file);
  ListedSamples samples;
  ListEntry entry;
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    if (!more) return samples;
    const bool is_new =
        samples.rows_
            .try_emplace(entry.id, Row{std::string(entry.path), entry.labels})
            .second;
    if (!is_new) {
      return reader.Error(entry,
                          "id " + std::to_string(entry.id) + " is there twice");
    }
  }
}

const ListedSamples::Row* ListedSamples::Find(std::uint64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second;
}

}  // namespace shardine
