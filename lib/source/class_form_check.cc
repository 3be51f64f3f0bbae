#include "source/class_form_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/name_form.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Splits = std::set<std::uint32_t>;

// For each class, the splits that have samples of it.
std::map<std::int64_t, Splits> SplitsByLabel(const SourceList& samples) {
  std::map<std::int64_t, Splits> splits;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (const auto label = samples.class_label(i)) {
      splits[*label].insert(samples.split(i));
      continue;
    }
    LabelCounts counts;
    samples.GetLabels(i, labels);
    CountLabels(labels, counts);
    for (const auto& [label, count] : counts) {
      splits[label].insert(samples.split(i));
    }
  }
  return splits;
}

std::string Count(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " class is" : " classes are");
}

class FormCheck {
 public:
  explicit FormCheck(const SourceSet& set)
      : set_(set), splits_(SplitsByLabel(set.samples)) {
    for (const auto& [label, splits] : splits_) {
      labelled_.insert(splits.begin(), splits.end());
    }
  }

  // Names that are in one form the same: the first two.
  const ClassInfo* FindSimilarName(
      const ClassInfo& info, std::map<std::string, const ClassInfo*>& known,
      std::string form) const {
    const auto [place, is_new] = known.try_emplace(std::move(form), &info);
    return is_new ? nullptr : place->second;
  }

  Status CheckForms() const {
    std::map<std::string, const ClassInfo*> known;
    for (const ClassInfo& info : set_.classes) {
      const ClassInfo* const twin =
          FindSimilarName(info, known, ComposedName(info.name));
      if (twin == nullptr) continue;
      return Status(Code::kInvalidArgument,
                    "two class names are one in Unicode: \"" +
                        EscapeBytes(info.name) + "\" of " + FormOf(*twin) +
                        " and of " + FormOf(info))
          .At({.path = set_.roots.front()});
    }
    return Status();
  }

  std::string Note(bool has_map, bool is_random) const {
    std::string note = has_map ? "" : NoteCases();
    if (is_random) {
      NoteLacking(note);
    } else if (labelled_.size() > 1) {
      NoteSplits(note);
    }
    return note.empty() ? note : "classes: " + note;
  }

 private:
  std::string SplitsOf(const ClassInfo& info) const {
    std::string names;
    const auto found = splits_.find(info.label);
    if (found == splits_.end()) return "no split";
    for (const std::uint32_t split : found->second) {
      names += (names.empty() ? "" : ", ") + EscapeBytes(set_.splits[split]);
    }
    return names;
  }

  std::string FormOf(const ClassInfo& info) const {
    return std::to_string(info.name.size()) + " bytes in " + SplitsOf(info);
  }

  std::string NoteCases() const {
    std::map<std::string, const ClassInfo*> known;
    std::uint64_t pairs = 0;
    std::string first;
    bool by_case = true;
    for (const ClassInfo& info : set_.classes) {
      const ClassInfo* const twin =
          FindSimilarName(info, known, FoldedName(info.name));
      if (twin == nullptr) continue;
      if (pairs++ > 0) continue;
      by_case = ComposedName(twin->name) != ComposedName(info.name);
      first = EscapeBytes(twin->name) + " (" + SplitsOf(*twin) + ") and " +
              EscapeBytes(info.name) + " (" + SplitsOf(info) + ")";
    }
    if (pairs == 0) return {};
    return first + " differ in " + (by_case ? "case" : "Unicode form") +
           " alone" +
           (pairs > 1 ? ", as do " + std::to_string(pairs - 1) + " more" : "");
  }

  // For random splits. Numbers without names that few samples share are no
  // classes.
  void NoteLacking(std::string& note) const {
    if (set_.classes.empty() && 2 * splits_.size() > set_.samples.size()) {
      return;
    }
    for (std::uint32_t split = 0; split < set_.splits.size(); ++split) {
      std::uint64_t count = 0;
      std::string first;
      for (const auto& [label, splits] : splits_) {
        if (splits.contains(split)) continue;
        if (count++ == 0) first = NameOf(label);
      }
      if (count == 0) continue;
      note += (note.empty() ? "" : "; ") + EscapeBytes(set_.splits[split]) +
              " lacks " + std::to_string(count) + " of " +
              std::to_string(splits_.size()) + ", such as " + first;
    }
  }

  void NoteSplits(std::string& note) const {
    // By the split that has them alone, or by one of several that lacks them.
    std::map<std::string, std::pair<std::uint64_t, std::string>> groups;
    const auto add = [&groups](const std::string& group, std::string name) {
      auto& [count, first] = groups[group];
      if (count++ == 0) first = std::move(name);
    };
    for (const auto& [label, splits] : splits_) {
      const std::string name = NameOf(label);
      if (splits.size() == 1) {
        add("in " + EscapeBytes(set_.splits[*splits.begin()]) + " alone", name);
        continue;
      }
      for (const std::uint32_t split : labelled_) {
        if (splits.contains(split)) continue;
        add("not in " + EscapeBytes(set_.splits[split]), name);
      }
    }
    for (const auto& [group, counted] : groups) {
      note += (note.empty() ? "" : "; ") + Count(counted.first) + " " + group +
              ", such as " + counted.second;
    }
  }

  std::string NameOf(std::int64_t label) const {
    const auto found =
        std::ranges::find(set_.classes, label, &ClassInfo::label);
    return found == set_.classes.end() ? std::to_string(label)
                                       : EscapeBytes(found->name);
  }

  const SourceSet& set_;
  const std::map<std::int64_t, Splits> splits_;
  Splits labelled_;
};

}  // namespace

std::string NoteOfClasses(const SourceSet& set) {
  return FormCheck(set).Note(/*has_map=*/false, /*is_random=*/false);
}

std::string NoteOfRandomSplits(const SourceSet& set) {
  return FormCheck(set).Note(/*has_map=*/true, /*is_random=*/true);
}

Status CheckClassForms(const SourceOptions& options, SourceSet& set) {
  const FormCheck check(set);
  const bool has_map = !options.label_map.empty();
  Status status = has_map ? Status() : check.CheckForms();
  if (!status.ok()) return status;
  std::string note = check.Note(has_map, !options.split_shares.empty());
  if (!note.empty()) set.notes.push_back(std::move(note));
  return Status();
}

}  // namespace shardine
