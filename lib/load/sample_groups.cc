#include "load/sample_groups.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "load/chosen_entries.h"
#include "load/whole_weights.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Read at a time.
constexpr std::uint64_t kEntries = 4096;

Result<std::int64_t> ClassOf(const IndexEntry& entry) {
  const bool is_one = entry.labels.size() == 1;
  if (is_one && entry.labels[0].is_integer()) return entry.labels[0].integer();
  const std::string has = is_one
                              ? "the label " + entry.labels[0].ToString()
                              : std::to_string(entry.labels.size()) + " labels";
  return BadSampling(
      "by classes, a sample has one label, an integer; the "
      "sample of id " +
      std::to_string(entry.id) + " has " + has);
}

}  // namespace

Result<SampleGroups> SampleGroups::ByClass(const SampleSource& source,
                                           const SampleChoice& choice,
                                           const std::stop_token& stop) {
  std::vector<std::int64_t> labels;
  labels.reserve(static_cast<std::size_t>(choice.size()));
  std::vector<IndexEntry> entries;
  while (labels.size() < choice.size()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const std::uint64_t first = labels.size();
    SHARDINE_RETURN_IF_ERROR(ChosenEntries(
        source, choice, first, std::min(kEntries, choice.size() - first),
        entries, EntryParts::kLabels));
    for (const IndexEntry& entry : entries) {
      auto label = ClassOf(entry);
      if (!label.ok()) {
        return std::move(label).status().At(
            source.WhereIs(choice(labels.size())));
      }
      labels.push_back(*label);
    }
  }
  return Of(labels);
}

std::string NameOfClass(std::int64_t label, const SampleSource& source) {
  std::string name = "class " + std::to_string(label);
  const auto known =
      std::ranges::find(source.classes(), label, &DatasetClass::label);
  if (known != source.classes().end()) {
    name += " (" + EscapeBytes(known->name) + ")";
  }
  return name;
}

SampleGroups SampleGroups::Of(std::span<const std::int64_t> labels) {
  SampleGroups groups;
  groups.labels_.assign(labels.begin(), labels.end());
  std::ranges::sort(groups.labels_);
  groups.labels_.erase(
      std::unique(groups.labels_.begin(), groups.labels_.end()),
      groups.labels_.end());
  groups.labels_.shrink_to_fit();
  const auto group_of = [&](std::int64_t label) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(groups.labels_, label) -
        groups.labels_.begin());
  };
  // Counted, added up, and each put where its group begins: as std::sort would
  // have them, which takes more memory.
  groups.firsts_.assign(groups.labels_.size() + 1, 0);
  for (const std::int64_t label : labels) ++groups.firsts_[group_of(label) + 1];
  for (std::size_t i = 1; i < groups.firsts_.size(); ++i) {
    groups.firsts_[i] += groups.firsts_[i - 1];
  }
  std::vector<std::uint64_t> next = groups.firsts_;
  groups.members_.resize(labels.size());
  for (std::size_t number = 0; number < labels.size(); ++number) {
    groups.members_[next[group_of(labels[number])]++] = number;
  }
  return groups;
}

SampleGroups SampleGroups::Parts(std::span<const std::uint64_t> sizes) {
  SampleGroups groups;
  groups.firsts_.push_back(0);
  for (const std::uint64_t size : sizes) {
    groups.firsts_.push_back(groups.firsts_.back() + size);
  }
  return groups;
}

std::string SampleGroups::NameOf(std::uint64_t group,
                                 const SampleSource& source) const {
  if (labels_.empty()) return "part " + std::to_string(group);
  return NameOfClass(labels_[group], source);
}

void SampleGroups::AddTo(Xxh3Stream& stream) const {
  stream.UpdateLe(count());
  for (const std::uint64_t first : firsts_) stream.UpdateLe(first);
  for (const std::int64_t label : labels_) stream.UpdateLe(label);
  for (const std::uint64_t member : members_) stream.UpdateLe(member);
}

}  // namespace shardine
