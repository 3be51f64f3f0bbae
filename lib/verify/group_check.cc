#include "verify/group_check.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/checksum.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "source/group_rule.h"

namespace shardine {
namespace {

constexpr std::uint64_t kShownFindings = 10;

class GroupCheck {
 public:
  GroupCheck(const DatasetReader& dataset, GroupRule rule)
      : dataset_(dataset), rule_(std::move(rule)) {}

  Result<std::vector<Status>> Run() {
    const auto visit = [&](const DatasetReader::ShardRef& shard,
                           const ShardIndex& index) -> Result<bool> {
      Status status = WalkIndex(
          index,
          [&](std::uint64_t record, const IndexEntry&, const std::string& key) {
            return Add({&shard, record}, key);
          });
      if (!status.ok()) return status;
      return true;
    };
    SHARDINE_RETURN_IF_ERROR(dataset_.ForEachIndex(dataset_.shards(), visit));
    if (found_ > findings_.size()) {
      Find(std::to_string(found_ - findings_.size()) +
           " more groups lie in two splits, or keys in none");
    }
    return std::move(findings_);
  }

 private:
  // The first sample of a group.
  struct First {
    DatasetReader::Location place;
    bool is_found = false;
  };

  Status Add(const DatasetReader::Location& place, const std::string& key) {
    const auto group = rule_.GroupOf(key);
    if (!group) {
      Count("key " + ShowName(key) + " has no group");
      return Status();
    }
    // Hashes of millions of groups take a third of their names' memory.
    First& first = firsts_.try_emplace(Xxh3_64(AsBytes(*group)), First{place})
                       .first->second;
    if (first.is_found || first.place.shard->split == place.shard->split) {
      return Status();
    }
    if (found_ >= kShownFindings) {
      first.is_found = true;
      ++found_;
      return Status();
    }
    SHARDINE_ASSIGN_OR_RETURN(const std::string other, KeyAt(first.place));
    if (rule_.GroupOf(other) != group) return Status();
    first.is_found = true;
    Count("group " + ShowName(*group) + " lies in two splits: key " +
          ShowName(other) + " in " + first.place.shard->split->name + ", " +
          ShowName(key) + " in " + place.shard->split->name);
    return Status();
  }

  Result<std::string> KeyAt(const DatasetReader::Location& place) const {
    SHARDINE_ASSIGN_OR_RETURN(const auto index,
                              dataset_.OpenIndex(*place.shard));
    std::vector<std::string> keys;
    SHARDINE_RETURN_IF_ERROR(index->Keys(place.record, 1, keys));
    return std::move(keys.front());
  }

  void Count(std::string finding) {
    if (found_++ < kShownFindings) Find(std::move(finding));
  }

  void Find(std::string finding) {
    findings_.push_back(
        Status(Code::kCorrupt, std::move(finding))
            .At({.path = JoinPath(dataset_.directory(), kManifestName)}));
  }

  const DatasetReader& dataset_;
  const GroupRule rule_;
  std::unordered_map<std::uint64_t, First> firsts_;  // by hash of the name
  std::uint64_t found_ = 0;
  std::vector<Status> findings_;
};

}  // namespace

Result<std::vector<Status>> CheckGroups(const DatasetReader& dataset) {
  const auto& options = dataset.manifest().made.options;
  const auto recorded = options.find("group-by");
  if (recorded == options.end()) return std::vector<Status>();
  auto rule = GroupRule::Parse(recorded->second);
  if (!rule.ok()) {
    return std::vector<Status>{
        Status(Code::kCorrupt, rule.status().message())
            .At({.path = JoinPath(dataset.directory(), kManifestName)})};
  }
  // The list that has the groups is not here.
  if (!rule->column().empty()) return std::vector<Status>();
  return GroupCheck(dataset, *std::move(rule)).Run();
}

}  // namespace shardine
