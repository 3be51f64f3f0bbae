#include "source/class_label_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/json_tree.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/class_numbers.h"
#include "source/list_file.h"
#include "source/name_file.h"

namespace shardine {
namespace {

using nlohmann::json;

Status Wrong(const std::string& message) {
  return Status(Code::kCorrupt, message);
}

// The parser keeps the last of two members of one name, without a word.
json Parse(const std::string& text, bool& twice) {
  // By depth: of the whole, and of the class that is being read.
  std::set<std::string> members[2];
  const auto see = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start && depth == 1) {
      members[1].clear();
    }
    if (event == json::parse_event_t::key && (depth == 1 || depth == 2)) {
      const auto name = value.get<std::string>();
      twice = twice || !members[depth - 1].insert(name).second;
    }
    return true;
  };
  return json::parse(text, see, false);
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

std::optional<std::int64_t> IntegerOf(const json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  // An unsigned number beyond int64 would come out negative.
  if (value.is_number_unsigned() && number < 0) return std::nullopt;
  return number;
}

// {"id": 0, "name": "tench"}, of the class that is called `key`.
std::optional<ClassInfo> Described(const std::string& key, const json& value) {
  const auto id = value.find("id");
  const auto name = value.find("name");
  if (value.size() != 2 || id == value.end() || name == value.end() ||
      !name->is_string()) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> label = IntegerOf(*id);
  if (!label) return std::nullopt;
  return ClassInfo{key, *label, 0, name->get<std::string>()};
}

std::optional<ClassInfo> ClassOf(const std::string& key, const json& value) {
  if (value.is_object()) return Described(key, value);
  if (const auto named = IntegerOf(value)) return ClassInfo{key, *named};
  const std::optional<std::int64_t> label = ParseClassNumber(key);
  return label ? NamedBy(*label, value) : std::nullopt;
}

Result<ClassMap> ClassesIn(const json& names) {
  ClassMap classes;
  const auto add = [&](std::optional<ClassInfo> info, const std::string& at) {
    if (!info) {
      return Wrong("\"" + EscapeBytes(at) +
                   "\" is neither a label with a name nor a name with a label");
    }
    classes.push_back(*std::move(info));
    return Status();
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
  if (!JsonTreeFits(text)) return Wrong("has more values than classes take");
  bool twice = false;
  const json names = Parse(text, twice);
  if (names.is_discarded()) return Wrong("is no JSON");
  if (twice) return Wrong("has a member twice");
  SHARDINE_ASSIGN_OR_RETURN(ClassMap classes, ClassesIn(names));
  SHARDINE_RETURN_IF_ERROR(CheckOnce(classes));
  std::ranges::sort(classes, {}, &ClassInfo::label);
  return classes;
}

// JSON that is no table of lines.
bool IsOneJson(const std::string& path, std::string_view text) {
  return IsLikeJson(text) && !path.ends_with(".jsonl") &&
         !path.ends_with(".ndjson");
}

}  // namespace

bool IsLikeJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

Result<ClassMap> ReadClassLabels(ReadableStorage& storage,
                                 const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(storage, path, kMaxClassFile));
  if (IsOneJson(path, text)) {
    auto classes = ReadJson(text);
    if (!classes.ok()) return std::move(classes).status().At({.path = path});
    return classes;
  }
  SHARDINE_ASSIGN_OR_RETURN(const ClassNumbers numbers,
                            ClassNumbers::ReadLabelMap(storage, path));
  return numbers.Classes();
}

Result<std::map<std::string, std::uint64_t>> LinesOfClassLabels(
    ReadableStorage& storage, const std::string& path) {
  std::map<std::string, std::uint64_t> lines;
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(storage, path, kMaxClassFile));
  if (IsOneJson(path, text)) return lines;
  // A line is a name alone, or ends in a label.
  SHARDINE_RETURN_IF_ERROR(
      ForEachName(storage, path, LabelMapColumns(),
                  [&](const std::string& line, const LineError& at) {
                    lines.emplace(line, at.number());
                    lines.emplace(CutValue(line).name, at.number());
                    return Status();
                  }));
  return lines;
}

}  // namespace shardine
