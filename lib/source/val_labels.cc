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
  std::vector<std::uint64_t> lines;  // of the labels
  // Places in `labels`; empty if they are in the order of the files.
  std::unordered_map<std::string, std::size_t> by_file;
};

using Files = std::unordered_set<std::string>;

// A file that cannot be used is in the folder all the same: its line is not to
// blame.
Files FilesOf(const FlatFolder& folder, const SourceSet& set) {
  Files files;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) == folder.root) files.emplace(set.samples.key(i));
  }
  for (const SourceProblem& bad : set.bad) {
    if (bad.root == folder.root) files.insert(bad.key);
  }
  return files;
}

// "file label", or "file,label" where the folder has that file. A line that is
// both is refused.
Result<NameAndValue> CutLabel(std::string_view line, const Files& files,
                              const LineError& error) {
  const NameAndValue blanks = CutValue(line);
  const std::size_t comma = line.rfind(',');
  if (comma == line.npos) return blanks;
  const NameAndValue commas{line.substr(0, comma), line.substr(comma + 1)};
  if (!files.contains(std::string(commas.name))) return blanks;
  if (!blanks.value.empty() && files.contains(std::string(blanks.name))) {
    return error("file " + EscapeBytes(blanks.name) + " with the label " +
                 EscapeBytes(blanks.value) + ", or file " +
                 EscapeBytes(commas.name) + " with the label " +
                 EscapeBytes(commas.value) + ": it could be both");
  }
  return commas;
}

Result<ValLabels> ReadValLabels(ReadableStorage& storage,
                                const std::string& path, const Files& files) {
  ValLabels list;
  const auto take = [&](const std::string& line,
                        const LineError& error) -> Status {
    SHARDINE_ASSIGN_OR_RETURN(const NameAndValue parts,
                              CutLabel(line, files, error));
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
    if (!has_file && list.labels.empty() && IsHeaderWord(parts.name)) {
      return error("\"" + EscapeBytes(parts.name) +
                   "\" is the label of the first file, or a header: remove "
                   "the line, or name the files");
    }
    list.labels.emplace_back(has_file ? parts.value : parts.name);
    list.lines.push_back(error.number());
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ForEachName(
      storage, path,
      {.wanted = {FileColumn(), LabelColumn()}, .takes_input = true}, take));
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

void ReportUnmatched(const std::string& path, const ValLabels& list,
                     const Files& files, const FlatFolder& folder,
                     SourceSet& set) {
  std::vector<std::string> unmatched;
  for (const auto& [file, place] : list.by_file) {
    if (!files.contains(file)) unmatched.push_back(file);
  }
  if (unmatched.empty()) return;
  // A hash table has no order, and reports are the same in every run.
  std::sort(unmatched.begin(), unmatched.end());
  set.notes.push_back(
      EscapeBytes(path) + ": " + std::to_string(unmatched.size()) + " of " +
      std::to_string(list.by_file.size()) + " lines are of no file, such as " +
      EscapeBytes(unmatched.front()));
  for (const std::string& file : unmatched) {
    set.ignored.push_back({.key = file,
                           .reason = "label-unmatched",
                           .root = folder.root,
                           .list = FileNameOf(path),
                           .line = list.lines[list.by_file.at(file)]});
  }
}

// The classes of a list alone: the classes of the lines with a file. Numbers
// beside names are taken for neither.
Status NumberNames(const std::string& path, const ValLabels& list,
                   const Files& files, ClassNumbers& numbers) {
  std::vector<std::string> names;
  std::string number;
  if (list.by_file.empty()) {
    names = list.labels;
  } else {
    for (const auto& [file, place] : list.by_file) {
      if (files.contains(file)) names.push_back(list.labels[place]);
    }
  }
  std::string name;
  for (const std::string& label : names) {
    std::string& first = Number(label) ? number : name;
    if (first.empty() || label < first) first = label;
  }
  if (name.empty()) return Status();
  if (!number.empty()) {
    return Status(Code::kInvalidArgument,
                  "some labels are numbers, such as " + number +
                      ", others are names, such as " + EscapeBytes(name) +
                      ": a label map says which class is which number")
        .At({.path = path});
  }
  SHARDINE_ASSIGN_OR_RETURN(numbers, numbers.WithNames(std::move(names)));
  return Status();
}

// The place of the label of the file that is at `position` by name. By
// position, one file that is missing and another too many would shift all
// labels between them, unseen. ImageNet's own names tell.
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
  const Files files = FilesOf(folder, set);
  SHARDINE_ASSIGN_OR_RETURN(const ValLabels list,
                            ReadValLabels(storage, path, files));
  if (numbers.empty()) {
    SHARDINE_RETURN_IF_ERROR(NumberNames(path, list, files, numbers));
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
    ReportUnmatched(path, list, files, folder, set);
  } else {
    NotePositions(path, folder, set);
  }
  return Status();
}

}  // namespace shardine
