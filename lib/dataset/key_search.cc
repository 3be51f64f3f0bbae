#include "dataset/key_search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "shard/payload.h"
#include "shard/shard_index_layout.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

class Search {
 public:
  struct Sample {
    LocatedSample located;
    std::uint64_t id = 0;
  };
  // At most two samples of each split: a third would say nothing more.
  using Found = std::vector<Sample>;

  Search(const DatasetReader& dataset, std::string_view split)
      : dataset_(dataset), split_(split) {}

  // Finds the sample of each of these keys; their bytes must outlive the call.
  Result<std::map<std::string_view, Found>> Run(
      const std::vector<std::string_view>& keys) {
    found_.clear();
    for (const std::string_view key : keys) found_[key];
    const auto all = dataset_.shards();
    for (std::size_t first = 0; first < all.size();) {
      std::size_t end = first;
      while (end < all.size() && all[end].split == all[first].split) ++end;
      if (split_.empty() || all[first].split->name == split_) {
        SHARDINE_RETURN_IF_ERROR(SearchSplit(all.subspan(first, end - first)));
      }
      first = end;
    }
    return std::move(found_);
  }

 private:
  // A key may come again up to the end of the split.
  Status SearchSplit(std::span<const DatasetReader::ShardRef> shards) {
    std::unordered_map<std::string_view, Found*> missing;
    for (auto& [key, found] : found_) missing.emplace(key, &found);
    if (missing.empty()) return Status();
    return dataset_.ForEachIndex(
        shards, [&](const auto& ref, const ShardIndex& index) -> Result<bool> {
          SHARDINE_RETURN_IF_ERROR(SearchShard(ref, index, missing));
          return !missing.empty();
        });
  }

  // Keys are in the order of the records, compressed by frames. Each frame is
  // unpacked once, and only one of them is in memory.
  static Status SearchShard(
      const DatasetReader::ShardRef& ref, const ShardIndex& index,
      std::unordered_map<std::string_view, Found*>& missing) {
    std::vector<std::string> keys;
    for (std::uint64_t first = 0; first < index.size() && !missing.empty();
         first += kIndexKeysPerFrame) {
      const std::uint64_t count =
          std::min(kIndexKeysPerFrame, index.size() - first);
      SHARDINE_RETURN_IF_ERROR(index.Keys(first, count, keys));
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto wanted = missing.find(keys[i]);
        if (wanted == missing.end()) continue;
        SHARDINE_ASSIGN_OR_RETURN(const IndexEntry entry,
                                  index.Entry(first + i));
        const IndexField* const image = ImageFieldOf(entry);
        Found& found = *wanted->second;
        const bool is_second =
            !found.empty() && found.back().located.shard->split == ref.split;
        found.push_back(
            {.located = {.shard = &ref,
                         .record = first + i,
                         .bytes = image == nullptr ? 0 : FieldBytes(*image)},
             .id = entry.id});
        if (is_second) missing.erase(wanted);
      }
    }
    return Status();
  }

  const DatasetReader& dataset_;
  const std::string_view split_;
  std::map<std::string_view, Found> found_;
};

Result<LocatedSample> OnlyOne(const DatasetReader& dataset,
                              const std::string& key,
                              const Search::Found& found) {
  const Where where{.path = dataset.directory(), .key = key};
  if (found.empty()) {
    return Status(Code::kNotFound, "no sample has this key").At(where);
  }
  if (found.size() == 1) return found[0].located;
  std::string names;
  const ManifestSplit* before = nullptr;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ManifestSplit* const split = found[i].located.shard->split;
    if (split == before) {
      return Status(Code::kInvalidArgument,
                    "split " + EscapeBytes(split->name) +
                        " has this key more than once: ids " +
                        std::to_string(found[i - 1].id) + " and " +
                        std::to_string(found[i].id))
          .At(where);
    }
    before = split;
    names += (names.empty() ? "" : ", ") + EscapeBytes(split->name);
  }
  return Status(Code::kInvalidArgument,
                "several splits have this key, name one of them: " + names)
      .At(where);
}

}  // namespace

Status CheckSplit(const DatasetReader& dataset, std::string_view split) {
  if (dataset.manifest().FindSplit(split) != nullptr) return Status();
  std::vector<std::string> names;
  for (const ManifestSplit& each : dataset.manifest().splits) {
    names.push_back(each.name);
  }
  return Status(Code::kInvalidArgument, "the dataset has no split \"" +
                                            EscapeBytes(split) + "\"" +
                                            DidYouMean(split, names))
      .At({.path = dataset.directory()});
}

Result<std::vector<LocatedSample>> FindKeys(const DatasetReader& dataset,
                                            std::span<const std::string> keys,
                                            std::string_view split,
                                            bool escaped) {
  if (!split.empty()) SHARDINE_RETURN_IF_ERROR(CheckSplit(dataset, split));
  Search search(dataset, split);
  SHARDINE_ASSIGN_OR_RETURN(const auto found,
                            search.Run({keys.begin(), keys.end()}));
  // A raw key may look escaped, so that the keys as they are come first.
  std::map<std::string_view, std::string> raw;
  for (const auto& [key, samples] : found) {
    if (!escaped || !samples.empty()) continue;
    std::optional<std::string> bytes = UnescapeBytes(std::string(key));
    if (bytes && *bytes != key) raw.emplace(key, *std::move(bytes));
  }
  std::vector<std::string_view> others;
  for (const auto& [key, bytes] : raw) others.emplace_back(bytes);
  SHARDINE_ASSIGN_OR_RETURN(const auto unescaped, search.Run(others));
  std::vector<LocatedSample> samples;
  for (const std::string& key : keys) {
    const auto other = raw.find(key);
    const bool has_other =
        other != raw.end() && !unescaped.at(other->second).empty();
    SHARDINE_ASSIGN_OR_RETURN(
        samples.emplace_back(),
        OnlyOne(dataset, key,
                has_other ? unescaped.at(other->second) : found.at(key)));
  }
  return samples;
}

}  // namespace shardine
