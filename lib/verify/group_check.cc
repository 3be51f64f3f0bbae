#include "verify/group_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/checksum.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "dataset/split_promises.h"
#include "source/group_rule.h"

namespace shardine {
namespace {

constexpr std::uint64_t kShownFindings = 10;

// The group of a sample where a field has it, which was a column of a list.
class FieldGroups {
 public:
  FieldGroups(const DatasetReader& dataset, std::string name)
      : dataset_(dataset), name_(std::move(name)) {}

  // Its bytes, or its digits; nullopt: it has none. kUnsupported: its bytes are
  // not in the shard as such.
  Result<std::optional<std::string>> GroupOf(
      const DatasetReader::ShardRef& shard, const IndexEntry& entry) {
    const auto field =
        std::ranges::find(entry.fields, name_, &IndexField::name);
    if (field == entry.fields.end()) return std::optional<std::string>();
    SHARDINE_RETURN_IF_ERROR(OpenShard(shard));
    std::string bytes;
    for (const Extent& extent : field->extents) {
      if (extent.offset == kNowhere) {
        return Status(Code::kUnsupported,
                      "the groups of samples are compressed")
            .At({.path = file_->path()});
      }
      const std::size_t begin = bytes.size();
      bytes.resize(begin + static_cast<std::size_t>(extent.length));
      const std::span rest = std::span(bytes).subspan(begin);
      SHARDINE_ASSIGN_OR_RETURN(
          const std::size_t read,
          file_->ReadAt(extent.offset, std::as_writable_bytes(rest)));
      if (read != extent.length) {
        return Status(Code::kCorrupt, "ends within a field")
            .At({.path = file_->path(), .offset = extent.offset});
      }
    }
    std::int64_t number = 0;
    if (field->dtype != "<i8" || bytes.size() != sizeof number) {
      return std::optional(std::move(bytes));
    }
    std::memcpy(&number, bytes.data(), sizeof number);
    return std::optional(std::to_string(number));
  }

 private:
  Status OpenShard(const DatasetReader::ShardRef& shard) {
    if (open_ == &shard) return Status();
    SHARDINE_ASSIGN_OR_RETURN(file_, dataset_.OpenShard(shard));
    open_ = &shard;
    return Status();
  }

  const DatasetReader& dataset_;
  const std::string name_;
  const DatasetReader::ShardRef* open_ = nullptr;
  std::unique_ptr<RandomAccessFile> file_;  // of open_
};

class GroupCheck {
 public:
  GroupCheck(const DatasetReader& dataset, GroupRule rule)
      : dataset_(dataset),
        rule_(std::move(rule)),
        fields_(dataset, rule_.column()),
        others_(dataset, rule_.column()) {}

  Result<std::vector<Status>> Run() {
    const auto visit = [&](const DatasetReader::ShardRef& shard,
                           const ShardIndex& index) -> Result<bool> {
      Status status = WalkIndex(
          index,
          [&](std::uint64_t record, const IndexEntry& entry,
              const std::string& key) -> Status {
            SHARDINE_ASSIGN_OR_RETURN(const auto group,
                                      GroupOf(fields_, shard, entry, key));
            return Add({&shard, record}, key, group);
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

  Result<std::optional<std::string>> GroupOf(
      FieldGroups& fields, const DatasetReader::ShardRef& shard,
      const IndexEntry& entry, const std::string& key) const {
    if (!rule_.column().empty()) return fields.GroupOf(shard, entry);
    const auto group = rule_.GroupOf(key);
    return group ? std::optional(std::string(*group)) : std::nullopt;
  }

  Status Add(const DatasetReader::Location& place, const std::string& key,
             const std::optional<std::string>& group) {
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
    SHARDINE_ASSIGN_OR_RETURN(const auto index,
                              dataset_.OpenIndex(*first.place.shard));
    SHARDINE_ASSIGN_OR_RETURN(const std::string other,
                              index->Key(first.place.record));
    SHARDINE_ASSIGN_OR_RETURN(const IndexEntry entry,
                              index->Entry(first.place.record));
    SHARDINE_ASSIGN_OR_RETURN(
        const auto its_group,
        GroupOf(others_, *first.place.shard, entry, other));
    if (its_group != group) return Status();
    first.is_found = true;
    Count("group " + ShowName(*group) + " lies in two splits: key " +
          ShowName(other) + " in " + first.place.shard->split->name + ", " +
          ShowName(key) + " in " + place.shard->split->name);
    return Status();
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
  FieldGroups fields_;
  FieldGroups others_;  // of samples that are looked at once more
  std::unordered_map<std::uint64_t, First> firsts_;  // by hash of the name
  std::uint64_t found_ = 0;
  std::vector<Status> findings_;
};

}  // namespace

Result<std::vector<Status>> CheckGroups(const DatasetReader& dataset) {
  const SplitPromises promises = PromisesOf(dataset.manifest().made);
  const auto recorded = promises.find(kGroupByPromise);
  if (recorded == promises.end()) return std::vector<Status>();
  auto rule = GroupRule::Parse(recorded->second);
  if (!rule.ok()) {
    return std::vector<Status>{
        Status(Code::kCorrupt, rule.status().message())
            .At({.path = JoinPath(dataset.directory(), kManifestName)})};
  }
  return GroupCheck(dataset, *std::move(rule)).Run();
}

}  // namespace shardine
