#include "dataset/label_override.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/json_list.h"
#include "source/list_file.h"

namespace shardine {
namespace {

Status Wrong(const std::string& message, std::optional<std::uint64_t> entry) {
  return Status(Code::kInvalidArgument, message).At({.record = entry});
}

}  // namespace

Result<LabelOverride> LabelOverride::Read(Storage& storage,
                                          const std::string& path) {
  LabelOverride list;
  Status status = path.ends_with(".json") ? list.ReadJson(storage, path)
                                          : list.ReadLst(storage, path);
  if (status.ok() && !list.by_key_) status = list.SortById();
  if (!status.ok()) return std::move(status).At({.path = path});
  return list;
}

Status LabelOverride::ReadLst(Storage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader(*file);
  ListEntry entry;
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    if (!more) return Status();
    Add(entry.id, entry.labels);
  }
}

Status LabelOverride::ReadJson(Storage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<JsonEntry> entries,
                            ReadJsonList(storage, path));
  by_key_ = !entries.empty() && !entries[0].id;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonEntry& entry = entries[i];
    if (!entry.labels) return Wrong("has no labels to put in place", i);
    if (entry.id.has_value() == by_key_) {
      return Wrong("either all entries have an \"id\" or none", i);
    }
    if (by_key_ && !by_name_.try_emplace(entry.path, i).second) {
      return Wrong("\"" + EscapeBytes(entry.path) + "\" is there twice", i);
    }
    Add(entry.id.value_or(0), *entry.labels);
  }
  return Status();
}

Status LabelOverride::SortById() {
  std::ranges::sort(rows_, {}, &Row::id);
  const auto twice = std::ranges::adjacent_find(rows_, {}, &Row::id);
  if (twice == rows_.end()) return Status();
  return Wrong("id " + std::to_string(twice->id) + " is there twice", {});
}

std::optional<std::size_t> LabelOverride::Find(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(rows_, id, {}, &Row::id);
  if (by_key_ || found == rows_.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - rows_.begin());
}

std::optional<std::size_t> LabelOverride::Find(std::string_view key) const {
  const auto found = by_name_.find(std::string(key));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

}  // namespace shardine
