#include "source/row_labels.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/source_file.h"

namespace shardine {

RowLabels::RowLabels(const SourceOptions& options, const ClassNumbers& numbers,
                     SourceSet& set)
    : classes_(numbers.Classes()),
      numbers_(numbers),
      stand_(classes_.size() > 1 || !options.label_map.empty() ||
             !options.val_labels.empty()),
      set_(set) {}

Status RowLabels::Take(const TableSample& row, std::size_t sample) {
  if (row.labels.empty() && row.names.empty()) return Status();
  if (stand_) return Compare(row, sample);
  if (has_row_.empty()) has_row_.resize(set_.samples.size());
  has_row_[sample] = true;
  std::vector<Label> labels = row.labels;
  for (const std::string_view name : row.names) {
    const auto [known, is_new] =
        names_.try_emplace(std::string(name), names_.size());
    labels.emplace_back(static_cast<std::int64_t>(known->second));
  }
  (row.names.empty() ? has_numbers_ : has_names_) = true;
  if (has_numbers_ && has_names_) {
    return row.error("the label is a " +
                     std::string(row.names.empty() ? "number" : "name") +
                     ", and labels of other metadata files are none");
  }
  Replace(sample, labels);
  return Status();
}

Status RowLabels::Finish(const ClassNumbers& asked, ClassNumbers& numbers) {
  if (has_row_.empty()) return Status();
  if (!classes_.empty()) {
    set_.notes.push_back("labels are those of metadata files; folder " +
                         EscapeBytes(classes_.front().name) + " is no class");
  }
  std::vector<std::string> names(names_.size());
  for (const auto& [name, place] : names_) names[place] = name;
  SHARDINE_ASSIGN_OR_RETURN(numbers, asked.WithNames(names));
  std::vector<Label> labels;
  for (std::size_t i = 0; i < set_.samples.size(); ++i) {
    set_.samples.GetLabels(i, labels);
    if (!has_row_[i]) labels.clear();
    for (Label& label : labels) {
      if (!has_names_) break;
      label = Label(
          *numbers.Find(names[static_cast<std::size_t>(label.integer())]));
    }
    Replace(i, labels);
  }
  return Status();
}

void RowLabels::Replace(std::size_t sample, std::span<const Label> labels) {
  // Labels of several are changed in place.
  if (set_.samples.label_count(sample) != labels.size()) {
    set_.samples.SetLabel(sample, Label(0));
  }
  set_.samples.SetLabels(sample, labels);
}

std::string RowLabels::NameOf(const Label& label) const {
  const ClassInfo* const info = FindClass(classes_, label);
  return info == nullptr ? label.ToString() : info->name;
}

Status RowLabels::Compare(const TableSample& row, std::size_t sample) {
  std::vector<Label> labels;
  for (const Label& label : row.labels) {
    if (!classes_.empty() && FindNoClass(classes_, {&label, 1}) != nullptr) {
      return row.error("label " + label.ToString() +
                       " is no class; classes are " + numbers_.LabelRange());
    }
    labels.push_back(label);
  }
  std::vector<Label> before;
  set_.samples.GetLabels(sample, before);
  for (const std::string_view name : row.names) {
    const auto number = numbers_.Find(name);
    if (number) {
      labels.emplace_back(*number);
    } else if (before.empty()) {
      return row.error("label " + EscapeBytes(name) + " is no class");
    } else {
      return Contradiction(row, sample, before, name);
    }
  }
  if (before.empty()) {
    Replace(sample, labels);
  } else if (before != labels) {
    const auto other = std::ranges::find_if(
        labels, [&](const Label& label) { return label != before.front(); });
    return Contradiction(row, sample, before,
                         other == labels.end() ? "several" : NameOf(*other));
  }
  return Status();
}

Status RowLabels::Contradiction(const TableSample& row, std::size_t sample,
                                const std::vector<Label>& before,
                                std::string_view name) const {
  const bool by_folder = !FolderOfPath(set_.samples.path(sample)).empty();
  return row.error(EscapeBytes(set_.samples.key(sample)) + " has label " +
                   EscapeBytes(NameOf(before.front())) +
                   (by_folder ? " by its folder" : " by validation labels") +
                   ", and label " + EscapeBytes(name) + " by this row");
}

}  // namespace shardine
