#include "binding/option_reader.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "shardine/escape.h"
#include "shardine/source.h"

namespace shardine::binding {
namespace {

std::string PathText(const nb::handle& object) {
  const auto bytes = nb::cast<nb::bytes>(object);
  return {bytes.c_str(), bytes.size()};
}

// An empty text stands for nothing in the library, and here most likely comes
// from a variable that was not set.
void RefuseEmpty(const char* name, const std::string& value) {
  if (!value.empty()) return;
  const std::string message = std::string(name) + ": the text is empty";
  throw nb::value_error(message.c_str());
}

// A name that the library would take for a part of the path.
void RefuseSplit(const char* name, const NamedPath& named) {
  const auto read = ParseSourceArguments({named.name + "=" + named.path});
  if (read.ok() && read->front().path == named.path) return;
  const std::string message =
      std::string(name) + ": \"" + EscapeBytes(named.name) +
      "\" is no name of a split: letters, digits, _, . and -";
  throw nb::value_error(message.c_str());
}

// --no-shuffle is shuffle=False.
bool IsNegated(const std::string& option) { return option.starts_with("no-"); }

}  // namespace

bool OptionReader::has(const char* name) const {
  return given_.contains(name) && !nb::object(given_[name]).is_none();
}

void OptionReader::Flag(const char* name, bool& value) {
  const nb::object flag = Checked("flag", name);
  if (flag.is_valid()) value = nb::cast<bool>(flag);
}

void OptionReader::Text(const char* name, std::string& value) {
  const nb::object text = Checked("text", name);
  if (!text.is_valid()) return;
  value = nb::cast<std::string>(text);
  RefuseEmpty(name, value);
}

void OptionReader::Path(const char* name, std::string& value) {
  const nb::object path = Checked("path", name);
  if (!path.is_valid()) return;
  value = PathText(path);
  RefuseEmpty(name, value);
}

void OptionReader::Texts(const char* name, std::vector<std::string>& value) {
  const nb::object texts = Checked("names", name);
  if (texts.is_valid()) value = nb::cast<std::vector<std::string>>(texts);
}

void OptionReader::Size(const char* name, std::uint64_t& value) {
  const nb::object size = Checked("size", name);
  if (size.is_valid()) value = nb::cast<std::uint64_t>(size);
}

void OptionReader::Paths(const char* name, std::vector<std::string>& value) {
  std::vector<NamedPath> paths;
  NamedPaths(name, paths);
  for (NamedPath& each : paths) {
    if (!each.name.empty()) {
      const std::string message =
          std::string(name) + ": several paths are wanted, without names";
      throw nb::type_error(message.c_str());
    }
    value.push_back(std::move(each.path));
  }
}

void OptionReader::NamedPaths(const char* name, std::vector<NamedPath>& value) {
  const nb::object paths = Checked("named_paths", name);
  if (!paths.is_valid()) return;
  for (const nb::handle pair : paths) {
    value.push_back({nb::cast<std::string>(pair[0]), PathText(pair[1])});
    RefuseEmpty(name, value.back().path);
    if (!value.back().name.empty()) RefuseSplit(name, value.back());
  }
}

std::string OptionReader::SourcesText(const char* name) {
  std::vector<NamedPath> paths;
  NamedPaths(name, paths);
  std::string text;
  for (const NamedPath& each : paths) {
    text += (text.empty() ? "" : ",") +
            (each.name.empty() ? "" : each.name + "=") + each.path;
  }
  return text;
}

std::optional<std::string> OptionReader::TextOf(const char* name,
                                                const OptionValue& value) {
  const auto text = [&](const char* function) {
    return nb::cast<std::string>(Checked(function, name));
  };
  const auto number = [&](auto low, auto high) {
    return nb::cast<std::string>(nb::str(Checked("within", name, low, high)));
  };
  read_.insert(name);
  if (!has(name)) return std::nullopt;
  switch (value.kind) {
    case OptionKind::kFlag:
      return nb::cast<bool>(Checked("flag", name)) ? "yes" : "";
    case OptionKind::kText:
    case OptionKind::kWord:
      return text("text");
    case OptionKind::kPath:
      return PathText(Checked("path", name));
    case OptionKind::kNumber:
      return number(value.range.low, value.range.high);
    case OptionKind::kInteger:
      return number(std::numeric_limits<std::int64_t>::min(),
                    std::numeric_limits<std::int64_t>::max());
    case OptionKind::kByteSize:
      return nb::cast<std::string>(nb::str(Checked("size", name))) + "B";
    case OptionKind::kSizes:
      return text("joined");
    case OptionKind::kShares:
      return text("shares");
    case OptionKind::kSplits:
      return text("splits");
    case OptionKind::kFiles:
      return text("files");
    case OptionKind::kSources:
      return SourcesText(name);
    case OptionKind::kNames: {
      std::vector<std::string> names;
      Texts(name, names);
      return names.empty() ? "none" : NamesText(names);
    }
  }
  return std::nullopt;
}

void OptionReader::Read(const OptionList& described) {
  for (const Option& option : described) {
    const std::string name = PythonName(option.name);
    std::optional<std::string> text = TextOf(name.c_str(), option.value);
    if (!text) continue;
    if (IsNegated(option.name)) text = text->empty() ? "yes" : "";
    RefuseOption(name.c_str(), option.value.set(*text));
    described_.insert(option.name);
  }
}

void OptionReader::Check(const OptionList& described) const {
  for (const Option& option : described) {
    if (!option.is_needed || described_.contains(option.name)) continue;
    const std::string message = PythonName(option.name) + " is needed";
    throw nb::type_error(message.c_str());
  }
  const auto useless = FindUseless(described, described_);
  if (!useless) return;
  const OptionRule& rule = *useless->rule;
  const bool needs = rule.kind == OptionRule::Kind::kNeeds;
  const std::string message =
      PythonName(useless->option->name) + ": has no effect " +
      (needs ? "without " : "beside ") + PythonName(rule.option) +
      (rule.value.empty() ? "" : "=\"" + rule.value + "\"");
  throw nb::value_error(message.c_str());
}

void OptionReader::Finish() const {
  for (const auto& [name, value] : given_) {
    const auto text = nb::cast<std::string>(name);
    if (read_.contains(text)) continue;
    const std::string message = "unknown option " + text;
    throw nb::type_error(message.c_str());
  }
}

std::string PythonName(const std::string& option) {
  std::string name = option.substr(IsNegated(option) ? 3 : 0);
  std::ranges::replace(name, '-', '_');
  return name;
}

void RefuseOption(const char* name, const Status& status) {
  if (status.ok()) return;
  const std::string message = std::string(name) + ": " + status.message();
  throw nb::value_error(message.c_str());
}

}  // namespace shardine::binding
