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

std::string IsThereTwice(std::uint64_t id) {
  return "id " + std::to_string(id) + " is there twice";
}

// The list is read again up to that entry: to keep where each line begins would
// cost all lists what one that is wrong is asked for.
Status TwiceInLst(ReadableStorage& storage, const std::string& path,
                  std::uint32_t entry) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader = ListReader::OfAnyForm(*file);
  ListEntry read;
  for (std::uint32_t i = 0; i <= entry; ++i) {
    SHARDINE_RETURN_IF_ERROR(reader.Next(read).status());
  }
  return reader.Error(read, IsThereTwice(read.id));
}

}  // namespace

void LabelTable::Add(Row row, std::span<const Label> labels,
                     std::string_view key) {
  row.labels = labels_.size();
  row.count = static_cast<std::uint32_t>(labels.size());
  row.entry = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back(row);
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  keys_.emplace_back(key);
}

Result<LabelTable> LabelTable::Read(ReadableStorage& storage,
                                    const std::string& path, By by) {
  LabelTable table(by);
  if (path.ends_with(".json")) {
    SHARDINE_RETURN_IF_ERROR(table.ReadJson(storage, path).At({.path = path}));
  } else {
    SHARDINE_RETURN_IF_ERROR(table.ReadLst(storage, path));
  }
  return table;
}

Status LabelTable::ReadLst(ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader = ListReader::OfAnyForm(*file);
  ListEntry entry;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    if (!more) break;
    Add({.id = entry.id, .line = entry.line.number}, entry.labels, entry.path);
  }
  has_ids_ = reader.form() != ListForm::kPathLabel;
  const auto twice = Arrange();
  return twice && by_ == By::kId ? TwiceInLst(storage, path, *twice) : Status();
}

Status LabelTable::ReadJson(ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<JsonEntry> entries,
                            ReadJsonList(storage, path));
  has_ids_ = !entries.empty() && entries[0].id.has_value();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonEntry& entry = entries[i];
    if (!entry.labels) return Wrong("has no labels to put in place", i);
    if (entry.id.has_value() != has_ids_) {
      return Wrong("either all entries have an \"id\" or none", i);
    }
    Add({.id = entry.id.value_or(i)}, *entry.labels, entry.path);
  }
  const auto twice = Arrange();
  if (!twice || by_ != By::kId) return Status();
  return Wrong(IsThereTwice(*entries[*twice].id), *twice);
}

std::optional<std::uint32_t> LabelTable::Arrange() {
  std::optional<std::uint32_t> twice;
  // The entry decides among equal ids, so that the message is about the one
  // that comes second in the list.
  std::ranges::sort(
      rows_, {}, [](const Row& row) { return std::pair(row.id, row.entry); });
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    if (rows_[i].id != rows_[i - 1].id) continue;
    twice = std::min(twice.value_or(rows_[i].entry), rows_[i].entry);
  }
  if (twice) has_ids_ = false;
  for (std::size_t i = 0; by_ == By::kBoth && i < rows_.size(); ++i) {
    const auto [known, is_new] = by_key_.try_emplace(KeyPart(key(i)), i);
    // A key of several rows is of use as long as all of them say the same.
    if (!is_new && known->second != kTwice && !SaysTheSame(known->second, i)) {
      known->second = kTwice;
    }
  }
  return twice;
}

std::string LabelTable::PlaceOf(std::size_t row) const {
  const Row& at = rows_[row];
  return at.line > 0 ? "line " + std::to_string(at.line)
                     : "entry " + std::to_string(at.entry);
}

bool LabelTable::SaysTheSame(std::size_t row, std::size_t other) const {
  return std::ranges::equal(labels(row), labels(other));
}

std::optional<std::size_t> LabelTable::FindId(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(rows_, id, {}, &Row::id);
  if (found == rows_.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - rows_.begin());
}

Result<std::optional<std::size_t>> LabelTable::FindKey(
    std::string_view key) const {
  auto found = by_key_.find(key);
  if (found == by_key_.end()) found = by_key_.find(KeyPart(key));
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
