#include "source/label_table.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/source_file.h"

namespace shardine {
namespace {

// The part of a path that a key can be equal to.
// Lists that other programs wrote name the same file with "./" before it or
// blanks around it.
std::string_view KeyPart(std::string_view path) {
  path = WithoutBlanks(path, " \t\r");
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

}  // namespace

Status LabelTable::Add(const TableSample& sample) {
  if (!sample.has_labels) {
    return sample.error("has no labels to put in place");
  }
  if (!rows_.empty() && sample.id.has_value() != has_ids_) {
    return sample.error("either all entries have an \"id\" or none");
  }
  has_ids_ = sample.id.has_value();
  rows_.push_back({.id = sample.id.value_or(sample.number),
                   .labels = labels_.size(),
                   .count = static_cast<std::uint32_t>(sample.labels.size() +
                                                       sample.names.size()),
                   .entry = static_cast<std::uint32_t>(sample.number),
                   .line = sample.line});
  labels_.insert(labels_.end(), sample.labels.begin(), sample.labels.end());
  for (const std::string_view name : sample.names) {
    const auto [known, is_new] =
        by_name_.try_emplace(std::string(name), names_.size());
    if (is_new) names_.emplace_back(name);
    labels_.emplace_back(static_cast<std::int64_t>(known->second));
  }
  keys_ += sample.path;
  // A path of Windows, which no key is.
  if (sample.path.find('/') == sample.path.npos) {
    const auto begin =
        keys_.end() - static_cast<std::ptrdiff_t>(sample.path.size());
    std::replace(begin, keys_.end(), '\\', '/');
  }
  key_ends_.push_back(keys_.size());
  return Status();
}

Status LabelTable::NameLabels(const ClassMap& classes) {
  if (names_.empty()) return Status();
  std::unordered_map<std::string_view, std::int64_t> numbers;
  for (const ClassInfo& info : classes) numbers.emplace(info.name, info.label);
  for (const std::string& name : names_) {
    if (numbers.contains(name)) continue;
    return Status(Code::kInvalidArgument,
                  "label \"" + EscapeBytes(name) +
                      "\" is the name of no class of the dataset");
  }
  for (Label& label : labels_) {
    label =
        Label(numbers.at(names_[static_cast<std::size_t>(label.integer())]));
  }
  names_.clear();
  return Status();
}

Result<LabelTable> LabelTable::Read(ReadableStorage& storage,
                                    const std::string& path, By by,
                                    const ClassMap& classes) {
  LabelTable table(by);
  SHARDINE_ASSIGN_OR_RETURN(
      const ListTable list,
      ReadListTable(
          storage, path,
          [&](const TableSample& sample) { return table.Add(sample); },
          by == By::kId ? TableIds::kMayFind : TableIds::kIds));
  table.columns_ = list.Columns();
  SHARDINE_RETURN_IF_ERROR(table.NameLabels(classes).At({.path = path}));
  const auto twice = table.Arrange();
  if (!twice || by != By::kId) return table;
  return table.Twice(storage, path, *twice);
}

// The list is read again up to that entry: storing where each line begins would
// make every list pay for the error of one.
Status LabelTable::Twice(ReadableStorage& storage, const std::string& path,
                         std::uint32_t entry) const {
  const auto find = [&](const TableSample& sample) {
    if (sample.number < entry) return Status();
    return sample.error("id " + std::to_string(*sample.id) + " occurs twice");
  };
  const auto again = ReadListTable(storage, path, find, TableIds::kMayFind);
  return again.ok()
             ? Status(Code::kCorrupt, "an id occurs twice").At({.path = path})
             : again.status();
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
  if (by_ == By::kBoth) FindRows();
  return twice;
}

void LabelTable::FindRows() {
  slots_.resize(std::bit_ceil(rows_.size() * 2 + 1));
  is_twice_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::uint32_t& slot = slots_[SlotOf(KeyPart(key(i)))];
    // A key of several rows is of use as long as all of them say the same.
    if (slot == 0) {
      slot = static_cast<std::uint32_t>(i + 1);
    } else if (!SaysTheSame(slot - 1, i)) {
      is_twice_[slot - 1] = true;
    }
  }
}

std::size_t LabelTable::SlotOf(std::string_view key) const {
  std::size_t slot = Xxh3_64(AsBytes(key));
  while (true) {
    slot &= slots_.size() - 1;
    const std::uint32_t row = slots_[slot];
    if (row == 0 || KeyPart(this->key(row - 1)) == key) return slot;
    ++slot;
  }
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
  if (slots_.empty()) return std::optional<std::size_t>();
  std::uint32_t row = slots_[SlotOf(key)];
  if (row == 0) row = slots_[SlotOf(KeyPart(key))];
  if (row == 0 && HasImageSuffix(key)) {
    const std::string_view stem = key.substr(0, key.rfind('.'));
    // A stem with the suffix of an image is a name of another image.
    if (!HasImageSuffix(stem)) row = slots_[SlotOf(stem)];
  }
  if (row == 0) return std::optional<std::size_t>();
  if (!is_twice_[row - 1]) return std::optional<std::size_t>(row - 1);
  return Status(Code::kInvalidArgument,
                "the list has this key twice, with other labels")
      .At({.key = std::string(key)});
}

void LabelTable::ForgetKeys() {
  slots_ = {};
  keys_ = {};
  key_ends_ = {};
}

}  // namespace shardine
