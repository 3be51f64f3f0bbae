#include "pack/class_name_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/class_names.h"
#include "shardine/escape.h"
#include "source/class_numbers.h"
#include "source/list_file.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxFile = std::uint64_t{64} << 20;

Status Wrong(const std::string& message) {
  return Status(Code::kCorrupt, message);
}

// The parser keeps the last of two members of one name, without a word.
json Parse(const std::string& text, bool& twice) {
  std::set<std::string> members;
  const auto see = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1) {
      twice = twice || !members.insert(value.get<std::string>()).second;
    }
    return true;
  };
  return json::parse(text, see, false);
}

std::optional<std::int64_t> LabelOf(const std::string& text) {
  const std::optional<Label> label = ParseLabel(text);
  if (!label || !label->is_integer() || label->ToString() != text) {
    return std::nullopt;
  }
  return label->integer();
}

// "tench", or ["n01440764", "tench"].
std::optional<ClassInfo> NamedBy(std::int64_t label, const json& value) {
  if (value.is_string()) return ClassInfo{value.get<std::string>(), label};
  if (!value.is_array() || value.size() != 2 || !value[0].is_string() ||
      !value[1].is_string()) {
    return std::nullopt;
  }
  return ClassInfo{value[0].get<std::string>(), label, 0,
                   value[1].get<std::string>()};
}

std::optional<ClassInfo> ClassOf(const std::string& key, const json& value) {
  if (value.is_number_integer()) {
    // A number above those of 64 bits with a sign would come out negative.
    if (value.is_number_unsigned() && value.get<std::int64_t>() < 0) {
      return std::nullopt;
    }
    return ClassInfo{key, value.get<std::int64_t>()};
  }
  const std::optional<std::int64_t> label = LabelOf(key);
  return label ? NamedBy(*label, value) : std::nullopt;
}

Result<ClassMap> ClassesIn(const json& names) {
  ClassMap classes;
  const auto add = [&](std::optional<ClassInfo> info, const std::string& at) {
    if (info) classes.push_back(*std::move(info));
    if (info) return Status();
    return Wrong("\"" + EscapeBytes(at) +
                 "\" is neither a label with a name nor a name with a label");
  };
  if (names.is_array()) {
    for (const json& value : names) {
      const auto label = static_cast<std::int64_t>(classes.size());
      SHARDINE_RETURN_IF_ERROR(
          add(NamedBy(label, value), std::to_string(label)));
    }
  } else {
    for (const auto& [key, value] : names.items()) {
      SHARDINE_RETURN_IF_ERROR(add(ClassOf(key, value), key));
    }
  }
  return classes;
}

Status CheckOnce(const ClassMap& classes) {
  if (classes.empty()) return Wrong("names no class");
  std::set<std::int64_t> labels;
  std::set<std::string_view> names;
  for (const ClassInfo& info : classes) {
    if (!labels.insert(info.label).second || !names.insert(info.name).second) {
      return Wrong("the class \"" + EscapeBytes(info.name) + "\" of label " +
                   std::to_string(info.label) +
                   " has its name or label from another class, too");
    }
    if (info.name.empty()) {
      return Wrong("label " + std::to_string(info.label) + " has no name");
    }
  }
  return Status();
}

Result<ClassMap> ReadJson(const std::string& text) {
  bool twice = false;
  const json names = Parse(text, twice);
  if (names.is_discarded()) return Wrong("is no JSON");
  if (twice) return Wrong("has a member twice");
  SHARDINE_ASSIGN_OR_RETURN(ClassMap classes, ClassesIn(names));
  SHARDINE_RETURN_IF_ERROR(CheckOnce(classes));
  std::ranges::sort(classes, {}, &ClassInfo::label);
  return classes;
}

// A .lst: id, labels and key between tabs. Of a label map a line has one.
bool IsList(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return std::ranges::count(line, '\t') >= 2;
}

Result<ClassMap> ReadList(ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader(*file);
  FolderNames first(FolderNames::Part::kFirst);
  FolderNames last(FolderNames::Part::kLast);
  ListEntry entry;
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const bool found, reader.Next(entry));
    if (!found) break;
    if (entry.labels.size() != 1 || !entry.labels[0].is_integer()) {
      return reader.Error(entry, "has no single whole number as its label");
    }
    first.Add(entry.labels[0].integer(), entry.path);
    last.Add(entry.labels[0].integer(), entry.path);
  }
  ClassMap classes = first.Classes();
  if (classes.empty()) classes = last.Classes();
  if (!classes.empty()) return classes;
  return Wrong("is a list whose keys have no folder for each label")
      .At({.path = path});
}

}  // namespace

Result<ClassMap> ReadClassNames(ReadableStorage& storage,
                                const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(storage, path, kMaxFile));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '{' || text[first] == '[')) {
    auto classes = ReadJson(text);
    if (!classes.ok()) return std::move(classes).status().At({.path = path});
    return classes;
  }
  if (IsList(text)) return ReadList(storage, path);
  SHARDINE_ASSIGN_OR_RETURN(const ClassNumbers numbers,
                            ClassNumbers::ReadLabelMap(storage, path));
  return numbers.Classes();
}

Status CheckAllNamed(
    const ClassMap& named,
    const std::map<std::int64_t, std::uint64_t>& label_counts) {
  for (const auto& [label, samples] : label_counts) {
    if (std::ranges::binary_search(named, label, {}, &ClassInfo::label)) {
      continue;
    }
    return Status(Code::kInvalidArgument,
                  "names no class " + std::to_string(label) +
                      ", the label of " + std::to_string(samples) + " samples");
  }
  return Status();
}

bool AreNamed(const ClassMap& named, const ClassMap& classes) {
  return std::ranges::all_of(classes, [&](const ClassInfo& info) {
    const auto found =
        std::ranges::lower_bound(named, info.label, {}, &ClassInfo::label);
    return found != named.end() && found->label == info.label &&
           found->name == info.name;
  });
}

}  // namespace shardine
