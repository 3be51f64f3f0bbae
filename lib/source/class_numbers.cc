#include "source/class_numbers.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/name_form.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/list_file.h"
#include "source/name_file.h"
#include "source/name_order.h"

namespace shardine {
namespace {

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  const std::optional<Label> label = ParseLabel(text);
  // "3.0" is a number, but here more likely a name.
  if (!label || !label->is_integer() || label->ToString() != text) {
    return std::nullopt;
  }
  return label->integer();
}

// Digits alone, with zeros in front or without.
std::optional<std::int64_t> WholeNumber(std::string_view name) {
  std::int64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, number);
  const bool is_whole = error == std::errc() && at == end;
  if (!is_whole || name.front() == '-') return std::nullopt;
  return number;
}

// "0 ant", "0: ant" and the like.
constexpr std::string_view kAfterNumber = " \t:;";

// "0,ant", "ant,0" and "0 ant": a name, or a label and a name; empty: no such
// line. The second way to read it, for people.
std::string ReadAsColumns(std::string_view line) {
  const std::size_t number = line.find_first_of(kAfterNumber);
  const std::size_t first = line.find(',');
  const auto columns = [](std::string_view label, std::string_view name) {
    return "label " + EscapeBytes(label) + " with the name " +
           EscapeBytes(name);
  };
  if (number != line.npos && ParseInteger(line.substr(0, number))) {
    std::string_view name = line.substr(number);
    name.remove_prefix(
        std::min(name.find_first_not_of(kAfterNumber), name.size()));
    return name.empty() ? "" : columns(line.substr(0, number), name);
  }
  if (first == line.npos) return {};
  const std::size_t last = line.rfind(',');
  if (ParseInteger(line.substr(0, first))) {
    return columns(line.substr(0, first), line.substr(first + 1));
  }
  if (ParseInteger(line.substr(last + 1))) {
    return columns(line.substr(last + 1), line.substr(0, last));
  }
  return {};
}

// Names alone, as they were read.
struct NameLines {
  std::uint64_t count = 0;
  std::uint64_t like_columns = 0;
  bool has_commas = false;  // all that are like columns
  std::string first;
  std::string columns;  // of the first that is like them
  std::string read_as;

  void Add(const std::string& line) {
    if (count++ == 0) first = line;
    std::string other = ReadAsColumns(line);
    if (other.empty()) return;
    has_commas =
        (like_columns == 0 || has_commas) && line.find(',') != line.npos;
    if (like_columns++ > 0) return;
    columns = line;
    read_as = std::move(other);
  }

  // A header would shift the numbers of all names.
  Status Check() const {
    // Names such as "7 spot ladybird" are among others.
    const bool header = has_commas || IsHeaderWord(first);
    if (like_columns > 0 && like_columns + (header ? 1 : 0) >= count) {
      return Status(Code::kCorrupt,
                    "\"" + EscapeBytes(columns) +
                        "\" is the name of a class, or " + read_as +
                        ": write \"name label\" lines, or JSON");
    }
    if (count > 0 && IsHeaderWord(first)) {
      return Status(Code::kCorrupt,
                    "\"" + EscapeBytes(first) +
                        "\" is the name of class 0, or a header: remove the "
                        "line, or write JSON");
    }
    return Status();
  }
};

}  // namespace

ClassNumbers ClassNumbers::Dense(std::vector<std::string> names, bool unite) {
  if (unite) {
    for (std::string& name : names) name = ComposedName(name);
  }
  std::sort(names.begin(), names.end(), NameOrder());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  ClassNumbers numbers;
  numbers.unites_ = unite;
  std::int64_t next = 0;
  for (std::string& name : names) numbers.Insert(std::move(name), next++);
  return numbers;
}

ClassNumbers ClassNumbers::Of(const ClassMap& classes, bool unite) {
  ClassNumbers numbers;
  numbers.unites_ = unite;
  for (const ClassInfo& info : classes) {
    std::string name = unite ? ComposedName(info.name) : info.name;
    SHARDINE_CHECK(numbers.Insert(std::move(name), info.label));
  }
  return numbers;
}

ClassNumbers ClassNumbers::AsAsked(bool unite, bool numbered) {
  ClassNumbers numbers;
  numbers.unites_ = unite;
  numbers.numbered_ = numbered;
  return numbers;
}

Result<ClassNumbers> ClassNumbers::WithNames(
    std::vector<std::string> names) const {
  if (!numbered_) return Dense(std::move(names), unites_);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  ClassNumbers numbers = AsAsked(unites_, numbered_);
  for (std::string& name : names) {
    const std::optional<std::int64_t> number = WholeNumber(name);
    const std::string shown = EscapeBytes(name);
    if (!number) {
      return Status(Code::kInvalidArgument,
                    "class " + shown +
                        " is no whole number, as classes are "
                        "that have their numbers as labels");
    }
    if (!numbers.Insert(std::move(name), *number)) {
      return Status(Code::kInvalidArgument,
                    "class " + shown + " has the number of another class");
    }
  }
  return numbers;
}

std::string OtherNumbers(const ClassMap& classes) {
  const ClassInfo* other = nullptr;
  for (const ClassInfo& info : classes) {
    const std::optional<std::int64_t> number = WholeNumber(info.name);
    if (!number) return {};
    if (other == nullptr && *number != info.label) other = &info;
  }
  if (other == nullptr) return {};
  return "classes are whole numbers in the order of text: " +
         EscapeBytes(other->name) + " has the label " +
         std::to_string(other->label) +
         "; the option numbered-classes takes their numbers";
}

Result<ClassNumbers> ClassNumbers::ReadLabelMap(ReadableStorage& storage,
                                                const std::string& path) {
  ClassNumbers numbers;
  std::optional<bool> numbered;
  NameLines names;
  std::int64_t next = 0;
  const auto take = [&](std::string line, const LineError& error) -> Status {
    const NameAndValue parts = CutValue(line);
    const std::optional<std::int64_t> label = ParseInteger(parts.value);
    // Among names without labels one may end in a number, as "area 51" does:
    // taken for a label it would give some class that number. Hence all lines
    // must have the same form.
    if (numbered && *numbered != label.has_value()) {
      return error("some lines have a label, others do not");
    }
    numbered = label.has_value();
    if (!label) names.Add(line);
    std::string name = label ? std::string(parts.name) : std::move(line);
    if (!numbers.Insert(std::move(name), label ? *label : next++)) {
      return error("this name or label was given before");
    }
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ForEachName(storage, path, LabelMapColumns(), take));
  SHARDINE_RETURN_IF_ERROR(names.Check().At({.path = path}));
  if (numbers.empty()) {
    return Status(Code::kCorrupt, "the label map is empty").At({.path = path});
  }
  return numbers;
}

bool ClassNumbers::Insert(std::string name, std::int64_t label) {
  return known_.insert(label).second &&
         labels_.emplace(std::move(name), label).second;
}

std::optional<std::int64_t> ClassNumbers::Find(std::string_view name) const {
  const auto found =
      unites_ ? labels_.find(ComposedName(name)) : labels_.find(name);
  if (found == labels_.end()) return std::nullopt;
  return found->second;
}

std::string ClassNumbers::LabelRange() const {
  const auto [least, most] = std::minmax_element(known_.begin(), known_.end());
  return std::to_string(*least) + ".." + std::to_string(*most);
}

ClassMap ClassNumbers::Classes() const {
  ClassMap classes;
  for (const auto& [name, label] : labels_) classes.push_back({name, label, 0});
  std::sort(
      classes.begin(), classes.end(),
      [](const ClassInfo& a, const ClassInfo& b) { return a.label < b.label; });
  return classes;
}

Status CountClasses(const SourceList& samples, ClassMap& classes) {
  if (classes.empty()) return Status();
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    places[classes[i].label] = i;
    classes[i].count = 0;
  }
  const auto count = [&](const Label& label) {
    const auto place =
        label.is_integer() ? places.find(label.integer()) : places.end();
    if (place != places.end()) ++classes[place->second].count;
    return place != places.end();
  };
  std::vector<Label> labels;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples.GetLabels(i, labels);
    for (std::size_t k = 0; k < labels.size(); ++k) {
      const auto before = std::span(labels).first(k);
      if (std::ranges::find(before, labels[k]) != before.end()) continue;
      if (count(labels[k])) continue;
      return Status(Code::kInvalidArgument,
                    "its label " + labels[k].ToString() +
                        " is none of the classes' " +
                        std::to_string(classes.front().label) + ".." +
                        std::to_string(classes.back().label))
          .At({.key = std::string(samples.key(i))});
    }
  }
  return Status();
}

}  // namespace shardine
