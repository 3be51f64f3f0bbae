#include "webdataset/count_files.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/json_tree.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

using CountJson = nlohmann::json;

Status Not(const char* what) {
  return Status(Code::kUnsupported, std::string("its text is not ") + what);
}

Result<CountJson> Parse(std::string_view text) {
  if (!JsonTreeFits(text)) return Not("of this many values");
  CountJson root = CountJson::parse(text, nullptr, false);
  if (!root.is_object()) return Not("a JSON object");
  return root;
}

// The member's value; null if there is no such member.
const CountJson* Find(const CountJson& object, const char* member) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(member);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> CountOf(const CountJson* value) {
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  return value->get<std::uint64_t>();
}

// "shard_lengths" is missing where timm was told only the sum.
Result<SaidSplit> ReadTimmSplit(const std::string& name,
                                const CountJson& value) {
  const CountJson* const files = Find(value, "filenames");
  const CountJson* const lengths = Find(value, "shard_lengths");
  const auto is_list = [](const CountJson* list) {
    return list == nullptr || list->is_array();
  };
  if (!value.is_object() || !is_list(files) || !is_list(lengths)) {
    return Not("timm's: a split has no lists of filenames and shard_lengths");
  }
  SaidSplit split{.name = name,
                  .samples = CountOf(Find(value, "num_samples")),
                  .shards = {}};
  for (std::size_t i = 0; files != nullptr && i < files->size(); ++i) {
    const CountJson& file = (*files)[i];
    if (!file.is_string()) return Not("timm's: a file name is no text");
    const bool has_length = lengths != nullptr && i < lengths->size();
    split.shards.push_back(
        {file.get<std::string>(),
         has_length ? CountOf(&(*lengths)[i]) : std::nullopt});
  }
  return split;
}

}  // namespace

Result<std::vector<SaidSplit>> ReadTimmCounts(std::string_view text) {
  SHARDINE_ASSIGN_OR_RETURN(const CountJson root, Parse(text));
  std::vector<SaidSplit> said;
  const CountJson* const splits = Find(root, "splits");
  if (splits == nullptr) return said;
  if (!splits->is_object()) return Not("timm's: \"splits\" is no object");
  for (const auto& [name, value] : splits->items()) {
    SHARDINE_ASSIGN_OR_RETURN(SaidSplit split, ReadTimmSplit(name, value));
    said.push_back(std::move(split));
  }
  return said;
}

Result<std::vector<SaidSplit>> ReadWidsCounts(std::string_view text) {
  SHARDINE_ASSIGN_OR_RETURN(const CountJson root, Parse(text));
  const CountJson* const shards = Find(root, "shardlist");
  if (shards == nullptr) return std::vector<SaidSplit>();
  if (!shards->is_array()) return Not("that of wids: \"shardlist\" is no list");
  SaidSplit all;
  for (const CountJson& shard : *shards) {
    const CountJson* const url = Find(shard, "url");
    if (url == nullptr || !url->is_string()) {
      return Not("that of wids: a shard has no \"url\"");
    }
    all.shards.push_back(
        {url->get<std::string>(), CountOf(Find(shard, "nsamples"))});
  }
  return std::vector<SaidSplit>{std::move(all)};
}

Result<std::vector<SaidSplit>> ReadSizes(std::string_view text) {
  SHARDINE_ASSIGN_OR_RETURN(const CountJson root, Parse(text));
  SaidSplit all;
  for (const auto& [path, samples] : root.items()) {
    // Totals may stand beside the archives.
    if (path.find(".tar") == path.npos) continue;
    all.shards.push_back({path, CountOf(&samples)});
  }
  return std::vector<SaidSplit>{std::move(all)};
}

}  // namespace shardine
