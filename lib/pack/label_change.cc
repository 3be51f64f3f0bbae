#include "pack/label_change.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/list_file.h"

namespace shardine {
namespace {

constexpr char kLeftOut[] = "-";
constexpr char kOthers[] = "*";
constexpr char kBlanks[] = " \t";

struct MapLine {
  std::string old_label;
  std::string new_label;
  std::string name;  // empty: none
};

// The first two of three parts have no blanks where no tabs are; a name may.
MapLine Cut(const std::string& line) {
  const bool tabs = line.find('\t') != line.npos;
  const char* between = tabs ? "\t" : kBlanks;
  MapLine parts;
  std::size_t next = 0;
  for (std::string* part : {&parts.old_label, &parts.new_label}) {
    const std::size_t end =
        std::min(line.find_first_of(between, next), line.size());
    *part = line.substr(next, end - next);
    next = std::min(line.find_first_not_of(between, end), line.size());
  }
  parts.name = line.substr(next);
  return parts;
}

Status NeedsName(std::int64_t label, const std::string& a,
                 const std::string& b) {
  return Status(Code::kInvalidArgument,
                "the classes " + EscapeBytes(a) + " and " + EscapeBytes(b) +
                    " both become " + std::to_string(label) +
                    ", which has no name: one of their lines has to end in it");
}

}  // namespace

Result<LabelChange> LabelChange::Read(ReadableStorage& storage,
                                      const std::string& path,
                                      const ClassMap& classes) {
  LabelChange change;
  SHARDINE_RETURN_IF_ERROR(
      ForEachName(storage, path,
                  {.wanted = {{.names = {"old"}},
                              {.names = {"new"}},
                              {.names = {"name"}, .is_needed = false}}},
                  [&](const std::string& line, const LineError& error) {
                    return change.Take(line, classes, error);
                  }));
  if (change.targets_.empty() && !change.others_) {
    return Status(Code::kCorrupt, "has no line").At({.path = path});
  }
  SHARDINE_RETURN_IF_ERROR(change.NameClasses(classes).At({.path = path}));
  return change;
}

Status LabelChange::Take(const std::string& line, const ClassMap& before,
                         const LineError& error) {
  const MapLine parts = Cut(line);
  Target target = ParseClassNumber(parts.new_label);
  const bool left_out = parts.new_label == kLeftOut;
  if (parts.old_label.empty() || (!target && !left_out) ||
      (left_out && !parts.name.empty())) {
    return error(
        "is not OLD NEW, OLD NEW NAME or OLD -, where NEW is a whole number");
  }
  if (!parts.name.empty()) {
    SHARDINE_RETURN_IF_ERROR(TakeName(*target, parts.name, error));
  }
  if (parts.old_label == kOthers) {
    if (others_) return error("a line before is about all others");
    others_ = target;
    return Status();
  }
  const auto label = OldLabel(parts.old_label, before);
  if (!label.ok()) return error(label.status().message());
  if (!targets_.emplace(*label, target).second) {
    return error("a line before is about this label");
  }
  return Status();
}

Status LabelChange::TakeName(std::int64_t label, const std::string& name,
                             const LineError& error) {
  const auto known = names_.try_emplace(label, name).first;
  if (known->second != name) {
    return error("label " + std::to_string(label) + " was called " +
                 EscapeBytes(known->second) + " before");
  }
  return Status();
}

Result<std::int64_t> LabelChange::OldLabel(const std::string& text,
                                           const ClassMap& before) const {
  const std::optional<std::int64_t> label = ParseClassNumber(text);
  const auto named = std::ranges::find(before, text, &ClassInfo::name);
  const bool is_name = named != before.end();
  // A class named "10" that is not class 10 makes the text ambiguous.
  if (label && is_name && named->label != *label) {
    return Status(Code::kInvalidArgument, "\"" + EscapeBytes(text) +
                                              "\" is the name of class " +
                                              std::to_string(named->label) +
                                              ", and the label of another");
  }
  if (is_name) return named->label;
  const bool is_class =
      label && (before.empty() || std::ranges::binary_search(
                                      before, *label, {}, &ClassInfo::label));
  if (is_class) return *label;
  return Status(Code::kInvalidArgument,
                "\"" + EscapeBytes(text) +
                    "\" is neither a label nor a class of the dataset");
}

// Names each new label: by the line that gives a name, else by the one class
// that becomes it.
Status LabelChange::NameClasses(const ClassMap& before) {
  std::map<std::int64_t, ClassInfo> found;
  for (const ClassInfo& info : before) {
    const Target* const target = Find(info.label);
    if (target == nullptr || !*target) continue;
    const std::int64_t label = **target;
    const auto [known, is_new] =
        found.try_emplace(label, ClassInfo{info.name, label, 0, info.text});
    if (const auto named = names_.find(label); named != names_.end()) {
      known->second = {named->second, label};
    } else if (!is_new) {
      return NeedsName(label, known->second.name, info.name);
    }
  }
  for (const auto& [label, name] : names_) {
    found.try_emplace(label, ClassInfo{name, label});
  }
  // Without classes before there are some now only if each new label has one.
  bool all_named = true;
  const auto check = [&](const Target& target) {
    all_named = all_named && (!target || found.contains(*target));
  };
  for (const auto& [label, target] : targets_) check(target);
  if (others_) check(*others_);
  if (!all_named && !found.empty()) {
    return Status(Code::kInvalidArgument,
                  "names some of the new labels, and not all");
  }
  std::set<std::string_view> names;
  for (const auto& [label, info] : found) {
    classes_.push_back(info);
    if (names.insert(info.name).second) continue;
    return Status(Code::kInvalidArgument,
                  "two labels are called " + EscapeBytes(info.name));
  }
  return Status();
}

const LabelChange::Target* LabelChange::Find(std::int64_t label) const {
  const auto found = targets_.find(label);
  if (found != targets_.end()) return &found->second;
  return others_ ? &*others_ : nullptr;
}

Result<bool> LabelChange::Change(std::vector<Label>& labels) const {
  if (labels.empty()) return true;
  std::vector<Label> changed;
  for (const Label& old : labels) {
    if (!old.is_integer()) {
      return Status(Code::kInvalidArgument,
                    "has no class number to change: its label " +
                        old.ToString() + " is no whole number");
    }
    const Target* const target = Find(old.integer());
    if (target == nullptr) {
      const std::string text = old.ToString();
      std::string why = "has the label " + text;
      why += ", which no line of the label map is about; \"" + text;
      why += " -\" leaves its samples out, \"* -\" those of all such labels";
      return Status(Code::kInvalidArgument, std::move(why));
    }
    if (!*target) continue;
    const Label label(**target);
    if (std::ranges::find(changed, label) == changed.end()) {
      changed.push_back(label);
    }
  }
  if (changed.empty()) return false;
  labels = std::move(changed);
  return true;
}

}  // namespace shardine
