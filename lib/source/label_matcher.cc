#include "source/label_matcher.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

// "train/a/b.jpg" ends in the path "a/b.jpg".
bool EndsInPath(std::string_view longer, std::string_view path) {
  return longer.size() > path.size() && longer.ends_with(path) &&
         longer[longer.size() - path.size() - 1] == '/';
}

}  // namespace

Result<LabelMatcher> LabelMatcher::Read(ReadableStorage& storage,
                                        const std::string& path, MatchBy by,
                                        const ClassMap& classes) {
  const auto kept =
      by == MatchBy::kKey ? LabelTable::By::kBoth : LabelTable::By::kId;
  SHARDINE_ASSIGN_OR_RETURN(LabelTable table,
                            LabelTable::Read(storage, path, kept, classes));
  return LabelMatcher(std::make_shared<LabelTable>(std::move(table)), path, by);
}

LabelMatcher::LabelMatcher(std::shared_ptr<LabelTable> table, std::string path,
                           MatchBy by)
    : table_(std::move(table)),
      path_(std::move(path)),
      by_(by),
      used_(table_->size()) {}

std::string LabelMatcher::columns() const {
  const std::string& columns = table_->columns();
  return columns.empty() ? columns : EscapeBytes(path_) + ": " + columns;
}

Result<std::optional<std::size_t>> LabelMatcher::Find(
    const NamedSample& sample) {
  using Row = std::optional<std::size_t>;
  if (by_ == MatchBy::kPosition) return table_->FindId(sample.position);
  Row by_id;
  if (sample.id && table_->has_ids()) by_id = table_->FindId(*sample.id);
  if (by_ == MatchBy::kId || sample.key.empty()) return by_id;
  SHARDINE_ASSIGN_OR_RETURN(const Row by_key, table_->FindKey(sample.key));
  if (by_key || !by_id) return by_key;
  // Two folders may both be where the paths of a list start from.
  const std::string_view path = table_->key(*by_id);
  if (EndsInPath(path, sample.key) || EndsInPath(sample.key, path)) {
    return by_id;
  }
  ++other_keys_;
  return Row();
}

Result<std::optional<std::size_t>> LabelMatcher::Match(
    const NamedSample& sample) {
  ++samples_;
  SHARDINE_ASSIGN_OR_RETURN(const auto row, Find(sample));
  if (!row) return row;
  if (used_[*row]) return IsOfSeveral(sample.key);
  used_[*row] = true;
  ++matched_;
  return row;
}

Status LabelMatcher::IsOfSeveral(std::string_view key) const {
  std::string message =
      std::string("several samples have the ") + WordOf(by_) + " of this row";
  if (by_ == MatchBy::kKey) message += "; their ids tell them apart";
  Status status(Code::kInvalidArgument, message);
  if (key.empty()) return std::move(status).At({.path = path_});
  return std::move(status).At({.path = path_, .key = std::string(key)});
}

void LabelMatcher::MatchRejected(std::string_view key) {
  if (by_ != MatchBy::kKey) return;
  const auto row = table_->FindKey(key);
  if (row.ok() && *row) used_[**row] = true;
}

Status LabelMatcher::Add(const LabelMatcher& other) {
  samples_ += other.samples_;
  matched_ += other.matched_;
  other_keys_ += other.other_keys_;
  for (std::size_t row = 0; row < used_.size(); ++row) {
    if (!other.used_[row]) continue;
    if (used_[row]) {
      return IsOfSeveral(by_ == MatchBy::kKey ? table_->key(row) : "");
    }
    used_[row] = true;
  }
  return Status();
}

// A key may be of several rows, of which one was found.
bool LabelMatcher::IsOfSample(std::size_t row) const {
  if (used_[row]) return true;
  if (by_ != MatchBy::kKey) return false;
  const auto found = table_->FindKey(table_->key(row));
  return found.ok() && *found && used_[**found];
}

std::string LabelMatcher::WithIds() const {
  if (other_keys_ == 0) return {};
  return "; " + std::to_string(other_keys_) +
         (other_keys_ == 1 ? " sample has" : " samples have") +
         " the id of a row with another key";
}

// Rows are sorted by id, and this is the first one in the list's order.
std::string LabelMatcher::FirstStranger() const {
  std::optional<std::size_t> first;
  for (std::size_t row = 0; row < used_.size(); ++row) {
    if (IsOfSample(row)) continue;
    if (!first || table_->entry(row) < table_->entry(*first)) first = row;
  }
  std::string name = table_->PlaceOf(*first);
  if (table_->has_ids()) name += ", id " + std::to_string(table_->id(*first));
  if (by_ == MatchBy::kKey) name += ", " + EscapeBytes(table_->key(*first));
  return name;
}

std::uint64_t LabelMatcher::strangers() const {
  std::uint64_t strangers = 0;
  for (std::size_t row = 0; row < used_.size(); ++row) {
    strangers += IsOfSample(row) ? 0 : 1;
  }
  return strangers;
}

Status LabelMatcher::CheckRows() const {
  const std::uint64_t others = strangers();
  const std::string rows = std::to_string(used_.size());
  const std::string by = std::string(", by their ") + WordOf(by_);
  Status status;
  if (matched_ == 0) {
    status =
        Status(Code::kInvalidArgument,
               "none of the " + rows + " rows of the list is of one of the " +
                   std::to_string(samples_) + " samples" + by + WithIds());
  } else if (others > 0) {
    status = Status(Code::kInvalidArgument,
                    std::to_string(others) + " of the " + rows +
                        " rows of the list " + (others == 1 ? "is" : "are") +
                        " of no sample" + by + ", first " + FirstStranger() +
                        WithIds());
  }
  return std::move(status).At({.path = path_});
}

std::string KeepTheirLabels(std::uint64_t unlisted, std::uint64_t samples) {
  return std::to_string(unlisted) + " of " + std::to_string(samples) +
         " samples are not in the list and keep the labels they have";
}

std::string SayNoClass(const LabelTable& table,
                       std::span<const std::uint32_t> rows,
                       const std::set<std::int64_t>& classes) {
  const auto is_none = [&](const Label& label) {
    return !label.is_integer() || !classes.contains(label.integer());
  };
  std::uint64_t samples = 0;
  std::string first;
  for (const std::uint32_t row : rows) {
    if (row >= table.size()) continue;
    const auto labels = table.labels(row);
    const auto found = std::ranges::find_if(labels, is_none);
    if (found == labels.end()) continue;
    if (samples++ == 0) first = found->ToString();
  }
  if (samples == 0) return "";
  return std::to_string(samples) + " of " + std::to_string(rows.size()) +
         " samples get a label that no class has, first " + first;
}

}  // namespace shardine
