#include "report/class_table.h"

#include <algorithm>
#include <set>

namespace shardine {

ClassTable::ClassTable(const ClassMap& classes, std::size_t splits)
    : classes_(classes), splits_(splits) {
  for (Split& split : splits_) {
    split.counts.resize(classes.size());
    split.firsts.resize(classes.size() + 1);
  }
}

std::size_t ClassTable::Add(std::size_t split, std::span<const Label> labels) {
  Split& own = splits_[split];
  std::size_t row = classes_.size();
  std::set<std::size_t> rows;
  for (const Label& label : labels) {
    const ClassInfo* const found = FindClass(classes_, label);
    if (found == nullptr) continue;
    const auto at = static_cast<std::size_t>(found - classes_.data());
    if (row == classes_.size()) row = at;
    if (labels.size() == 1 || rows.insert(at).second) ++own.counts[at];
  }
  own.without += row == classes_.size() ? 1 : 0;
  own.changes += own.samples > 0 && row != own.last ? 1 : 0;
  own.last = row;
  ++own.firsts[row];
  ++own.samples;
  return row;
}

std::uint64_t ClassTable::missing(std::size_t split) const {
  std::uint64_t missing = 0;
  for (std::size_t row = 0; row < classes_.size(); ++row) {
    const bool is_elsewhere = std::ranges::any_of(
        splits_, [&](const Split& other) { return other.counts[row] > 0; });
    missing += is_elsewhere && splits_[split].counts[row] == 0 ? 1 : 0;
  }
  return missing;
}

double ClassTable::imbalance(std::size_t split) const {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  for (const std::uint64_t count : splits_[split].counts) {
    if (count == 0) continue;
    least = least == 0 ? count : std::min(least, count);
    most = std::max(most, count);
  }
  return least == 0 ? 0
                    : static_cast<double>(most) / static_cast<double>(least);
}

std::optional<double> ClassTable::mixing(std::size_t split) const {
  const Split& own = splits_[split];
  if (own.samples < 2) return std::nullopt;
  const auto samples = static_cast<double>(own.samples);
  double same = 0;
  for (const std::uint64_t count : own.firsts) {
    const auto of_class = static_cast<double>(count);
    same += of_class / samples * (of_class - 1) / (samples - 1);
  }
  if (same >= 1) return std::nullopt;
  return static_cast<double>(own.changes) / (samples - 1) / (1 - same);
}

}  // namespace shardine
