#include "source/label_table.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/json_list.h"
#include "source/list_file.h"

namespace shardine {
namespace {

constexpr std::size_t kTwice = ~std::size_t{0};

Status Wrong(const std::string& message, std::uint64_t entry) {
  return Status(Code::kInvalidArgument, message).At({.record = entry});
}

// The part of a path that a key can be equal to.
// Lists that other programs wrote name the same file with "./" before it or
// blanks around it.
std::string_view KeyPart(std::string_view path) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = path.find_first_not_of(kBlanks);
  if (begin == path.npos) return {};
  path = path.substr(begin, path.find_last_not_of(kBlanks) + 1 - begin);
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

std::string IsThereTwice(LabelTable::By by, std::uint64_t id,
                         std::string_view key) {
  return by == LabelTable::By::kKey
             ? "\"" + EscapeBytes(key) + "\" is there twice"
             : "id " + std::to_string(id) + " is there twice";
}

// The list is read again up to that entry: to keep where each line begins would
// cost all lists what one that is wrong is asked for.
Status TwiceInLst(ReadableStorage& storage, const std::string& path,
                  std::uint32_t entry, LabelTable::By by) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader(*file);
  ListEntry read;
  for (std::uint32_t i = 0; i <= entry; ++i) {
    SHARDINE_RETURN_IF_ERROR(reader.Next(read).status());
  }
  return reader.Error(read, IsThereTwice(by, read.id, read.path));
}

}  // namespace

void LabelTable::Add(Row row, std::span<const Label> labels,
                     std::string_view key) {
  row.labels = labels_.size();
  row.count = static_cast<std::uint32_t>(labels.size());
  row.entry = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back(row);
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  if (by_ != By::kId) keys_.emplace_back(key);
}

Result<LabelTable> LabelTable::ReadLst(ReadableStorage& storage,
                                       const std::string& path, By by) {
  LabelTable table(by);
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader(*file);
  ListEntry entry;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    if (!more) break;
    table.Add({.id = entry.id, .line = entry.line.number}, entry.labels,
              entry.path);
  }
  const auto twice = table.Arrange();
  if (twice) return TwiceInLst(storage, path, *twice, by);
  return table;
}

Result<LabelTable> LabelTable::Read(ReadableStorage& storage,
                                    const std::string& path) {
  if (!path.ends_with(".json")) return ReadLst(storage, path, By::kId);
  LabelTable table(By::kId);
  Status status = table.ReadJson(storage, path);
  if (!status.ok()) return std::move(status).At({.path = path});
  return table;
}

Status LabelTable::ReadJson(ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<JsonEntry> entries,
                            ReadJsonList(storage, path));
  if (!entries.empty() && !entries[0].id) by_ = By::kKey;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonEntry& entry = entries[i];
    if (!entry.labels) return Wrong("has no labels to put in place", i);
    if (entry.id.has_value() != (by_ == By::kId)) {
      return Wrong("either all entries have an \"id\" or none", i);
    }
    Add({.id = entry.id.value_or(0)}, *entry.labels, entry.path);
  }
  const auto twice = Arrange();
  if (!twice) return Status();
  const JsonEntry& entry = entries[*twice];
  return Wrong(IsThereTwice(by_, entry.id.value_or(0), entry.path), *twice);
}

std::optional<std::uint32_t> LabelTable::Arrange() {
  std::optional<std::uint32_t> twice;
  const auto note = [&twice](std::uint32_t entry) {
    twice = std::min(twice.value_or(entry), entry);
  };
  if (by_ != By::kKey) {
    // The entry decides among equal ids, so that the message is about the one
    // that comes second in the list.
    std::ranges::sort(
        rows_, {}, [](const Row& row) { return std::pair(row.id, row.entry); });
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      if (rows_[i].id == rows_[i - 1].id) note(rows_[i].entry);
    }
  }
  for (std::size_t i = 0; i < rows_.size() && !keys_.empty(); ++i) {
    const std::string_view name = by_ == By::kBoth ? KeyPart(key(i)) : key(i);
    const auto [known, is_new] = by_key_.try_emplace(name, i);
    if (is_new) continue;
    // A key may be of several rows where rows have ids as well. It is of use as
    // long as all of them say the same.
    if (by_ == By::kKey) {
      note(rows_[i].entry);
    } else if (known->second != kTwice && !SaysTheSame(known->second, i)) {
      known->second = kTwice;
    }
  }
  return twice;
}

bool LabelTable::SaysTheSame(std::size_t row, std::size_t other) const {
  return std::ranges::equal(labels(row), labels(other));
}

std::optional<std::size_t> LabelTable::FindId(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(rows_, id, {}, &Row::id);
  if (by_ == By::kKey || found == rows_.end() || found->id != id) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - rows_.begin());
}

Result<std::optional<std::size_t>> LabelTable::FindKey(
    std::string_view key) const {
  auto found = by_key_.find(key);
  if (found == by_key_.end() && by_ == By::kBoth) {
    found = by_key_.find(KeyPart(key));
  }
  if (found == by_key_.end()) return std::optional<std::size_t>();
  if (found->second != kTwice) return std::optional(found->second);
  return Status(Code::kInvalidArgument,
                "the list has this key twice, with other labels")
      .At({.key = std::string(key)});
}

void LabelTable::ForgetKeys() {
  by_key_ = {};
  keys_ = {};
}

}  // namespace shardine
