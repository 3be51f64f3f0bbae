#include "binding/option_reader.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "shardine/escape.h"
#include "shardine/source.h"

namespace shardine::binding {
namespace {

std::string PathText(const nb::handle& object) {
  const auto bytes = nb::cast<nb::bytes>(object);
  return {bytes.c_str(), bytes.size()};
}

// An empty text stands for nothing in the library, and whoever gives one here
// means something: most likely a variable that was not set.
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

void OptionReader::Splits(const char* name, std::vector<std::string>& value) {
  const nb::object splits = Checked("splits", name);
  if (splits.is_valid()) value = nb::cast<std::vector<std::string>>(splits);
}

void OptionReader::Size(const char* name, std::uint64_t& value) {
  const nb::object size = Checked("size", name);
  if (size.is_valid()) value = nb::cast<std::uint64_t>(size);
}

void OptionReader::Shares(const char* name, std::string& value) {
  const nb::object shares = Checked("shares", name);
  if (shares.is_valid()) value = nb::cast<std::string>(shares);
}

void OptionReader::Joined(const char* name, std::string& value) {
  const nb::object joined = Checked("joined", name);
  if (joined.is_valid()) value = nb::cast<std::string>(joined);
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

void OptionReader::Finish() const {
  for (const auto& [name, value] : given_) {
    const auto text = nb::cast<std::string>(name);
    if (read_.contains(text)) continue;
    const std::string message = "unknown option " + text;
    throw nb::type_error(message.c_str());
  }
}

void RefuseOption(const char* name, const Status& status) {
  if (status.ok()) return;
  const std::string message = std::string(name) + ": " + status.message();
  throw nb::value_error(message.c_str());
}

}  // namespace shardine::binding
