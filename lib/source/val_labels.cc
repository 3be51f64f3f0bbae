#include "source/val_labels.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/imagenet_name.h"
#include "source/list_file.h"
#include "source/name_file.h"

namespace shardine {
namespace {

struct ValLabels {
  std::vector<std::string> labels;
  // Places in `labels`; empty if they are in the order of the files.
  std::unordered_map<std::string, std::size_t> by_file;
};

Result<ValLabels> ReadValLabels(ReadableStorage& storage,
                                const std::string& path) {
  ValLabels list;
  const auto take = [&list](const std::string& line, const LineError& error) {
    const NameAndValue parts = CutValue(line);
    const bool has_file = !parts.value.empty();
    // After the first line, `by_file` is empty just if no line has named a
    // file.
    if (!list.labels.empty() && has_file == list.by_file.empty()) {
      return error("some lines name a file, others do not");
    }
    const std::size_t place = list.labels.size();
    if (has_file &&
        !list.by_file.emplace(std::string(parts.name), place).second) {
      return error("this file has a label already");
    }
    list.labels.emplace_back(has_file ? parts.value : parts.name);
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ForEachName(storage, path, take));
  return list;
}

std::optional<std::int64_t> Number(const std::string& text) {
  const std::optional<Label> label = ParseLabel(text);
  if (!label || !label->is_integer()) return std::nullopt;
  return label->integer();
}

Result<std::int64_t> NumberOf(const std::string& text,
                              const ClassNumbers& numbers) {
  if (const auto named = numbers.Find(text)) return *named;
  const std::optional<std::int64_t> number = Number(text);
  if (!number) {
    return Status(
        Code::kInvalidArgument,
        "label " + EscapeBytes(text) + " is neither a class nor a number");
  }
  if (!numbers.empty() && !numbers.HasLabel(*number)) {
    return Status(
        Code::kInvalidArgument,
        "label " + text + " is no class; classes are " + numbers.LabelRange());
  }
  return *number;
}

void ReportUnmatched(const ValLabels& list, const FlatFolder& folder,
                     SourceSet& set) {
  std::unordered_set<std::string> known;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) == folder.root) known.emplace(set.samples.key(i));
  }
  // A file that cannot be used is in the folder all the same: its line is not
  // to blame.
  for (const SourceProblem& bad : set.bad) {
    if (bad.root == folder.root) known.insert(bad.key);
  }
  std::vector<std::string> unmatched;
  for (const auto& [file, place] : list.by_file) {
    if (!known.contains(file)) unmatched.push_back(file);
  }
  // A hash table has no order, and reports are the same in every run.
  std::sort(unmatched.begin(), unmatched.end());
  for (std::string& file : unmatched) {
    set.ignored.push_back({std::move(file), "label-unmatched", folder.root});
  }
}

// The place of the label of the file that is at `position` by name.
// By position, one file that is missing and another too many would shift all
// labels between them, and nobody would see it. ImageNet's own names tell.
Result<std::size_t> PlaceOf(const ValLabels& list, const std::string& key,
                            std::size_t position) {
  if (!list.by_file.empty()) {
    const auto found = list.by_file.find(key);
    if (found != list.by_file.end()) return found->second;
    return Status(Code::kInvalidArgument, "no label for this image");
  }
  const auto number = ImageNetNumber(key);
  if (!number || *number == position + 1) return position;
  return Status(Code::kInvalidArgument,
                "would get the label of line " + std::to_string(position + 1) +
                    ", and is image " + std::to_string(*number));
}

void NotePositions(const std::string& path, const FlatFolder& folder,
                   SourceSet& set) {
  std::string first;
  std::string last;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) != folder.root) continue;
    last = set.samples.key(i);
    if (first.empty()) first = last;
  }
  set.notes.push_back("labels by position, since " + EscapeBytes(path) +
                      " names no files: one a line in the order of the names, "
                      "from " +
                      EscapeBytes(first) + " to " + EscapeBytes(last));
}

}  // namespace

Status ApplyValLabels(ReadableStorage& storage, const std::string& path,
                      const FlatFolder& folder, ClassNumbers& numbers,
                      SourceSet& set) {
  SHARDINE_ASSIGN_OR_RETURN(const ValLabels list, ReadValLabels(storage, path));
  if (numbers.empty() &&
      std::any_of(list.labels.begin(), list.labels.end(),
                  [](const std::string& label) { return !Number(label); })) {
    numbers = ClassNumbers::Dense(list.labels);
  }
  const bool by_file = !list.by_file.empty();
  if (!by_file && list.labels.size() != folder.files) {
    return Status(Code::kInvalidArgument,
                  std::to_string(list.labels.size()) + " labels for " +
                      std::to_string(folder.files) + " images")
        .At({.path = path});
  }
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) != folder.root) continue;
    const Where where{.path = path, .key = std::string(set.samples.key(i))};
    // The id counts the files of the folder, with those that cannot be used,
    // since these have a line as well. The index in the list does not.
    const auto place =
        PlaceOf(list, *where.key, set.samples.id(i) - folder.first_id);
    if (!place.ok()) return place.status().At(where);
    const auto number = NumberOf(list.labels[*place], numbers);
    if (!number.ok()) return number.status().At(where);
    set.samples.SetLabel(i, *number);
  }
  if (by_file) {
    ReportUnmatched(list, folder, set);
  } else {
    NotePositions(path, folder, set);
  }
  return Status();
}

}  // namespace shardine
