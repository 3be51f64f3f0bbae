#include "source/class_numbers.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
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

}  // namespace

ClassNumbers ClassNumbers::Dense(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), NameOrder());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  ClassNumbers numbers;
  std::int64_t next = 0;
  for (std::string& name : names) numbers.Insert(std::move(name), next++);
  return numbers;
}

ClassNumbers ClassNumbers::Of(const ClassMap& classes) {
  ClassNumbers numbers;
  for (const ClassInfo& info : classes) {
    SHARDINE_CHECK(numbers.Insert(info.name, info.label));
  }
  return numbers;
}

Result<ClassNumbers> ClassNumbers::ReadLabelMap(ReadableStorage& storage,
                                                const std::string& path) {
  ClassNumbers numbers;
  std::optional<bool> numbered;
  std::int64_t next = 0;
  const auto take = [&](std::string line, const LineError& error) -> Status {
    const NameAndValue parts = CutValue(line);
    const std::optional<std::int64_t> label = ParseInteger(parts.value);
    // Among names without labels one may end in a number, as "area 51" does:
    // taken for a label it would give some class that number. Hence all lines
    // are of one kind.
    if (numbered && *numbered != label.has_value()) {
      return error("some lines have a label, others do not");
    }
    numbered = label.has_value();
    std::string name = label ? std::string(parts.name) : std::move(line);
    if (!numbers.Insert(std::move(name), label ? *label : next++)) {
      return error("this name or label was given before");
    }
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ForEachName(storage, path, take));
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
  const auto found = labels_.find(name);
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
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.label_count(i) == 0) continue;
    const std::optional<std::int64_t> label = samples.class_label(i);
    const auto place = label ? places.find(*label) : places.end();
    if (place == places.end()) {
      return Status(Code::kInvalidArgument,
                    "its label is none of the classes' " +
                        std::to_string(classes.front().label) + ".." +
                        std::to_string(classes.back().label))
          .At({.key = std::string(samples.key(i))});
    }
    ++classes[place->second].count;
  }
  return Status();
}

}  // namespace shardine
