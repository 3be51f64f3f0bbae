#include "pack/index_ids.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "source/list_file.h"

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

// Of shards that one list is for.
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

// The part of a path that a key can be equal to.
std::string_view KeyPart(std::string_view path) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = path.find_first_not_of(kBlanks);
  if (begin == path.npos) return {};
  path = path.substr(begin, path.find_last_not_of(kBlanks) + 1 - begin);
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
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

Result<ListedSamples> ListedSamples::Read(Storage& storage,
                                          const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader(*file);
  ListedSamples samples;
  ListEntry entry;
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    if (!more) return samples;
    const auto [row, is_new] = samples.rows_.try_emplace(
        entry.id, Row{std::string(entry.path), entry.labels});
    if (!is_new) {
      return reader.Error(entry,
                          "id " + std::to_string(entry.id) + " is there twice");
    }
    samples.AddKey(row->second);
  }
}

void ListedSamples::AddKey(const Row& row) {
  const auto [known, is_new] = by_key_.try_emplace(KeyPart(row.key), &row);
  if (is_new || known->second == nullptr) return;
  if (known->second->labels != row.labels) known->second = nullptr;
}

Result<const ListedSamples::Row*> ListedSamples::Find(
    std::string_view key) const {
  auto found = by_key_.find(key);
  if (found == by_key_.end()) found = by_key_.find(KeyPart(key));
  if (found == by_key_.end()) return static_cast<const Row*>(nullptr);
  if (found->second != nullptr) return found->second;
  return Status(Code::kInvalidArgument,
                "the list has this key twice, with other labels")
      .At({.key = std::string(key)});
}

const ListedSamples::Row* ListedSamples::Find(std::uint64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second;
}

}  // namespace shardine
