#include "source/blacklist.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/imagenet_name.h"
#include "source/name_file.h"

namespace shardine {
namespace {

struct BlackLine {
  std::uint64_t number = 0;  // of the first line with that text
  std::uint64_t matched = 0;
};
using Blacklist = std::map<std::string, BlackLine, std::less<>>;

bool Matches(Blacklist& list, std::string_view key, std::string_view path) {
  bool matches = false;
  const std::size_t slash = path.rfind('/');
  const std::string_view file =
      slash == std::string_view::npos ? path : path.substr(slash + 1);
  // ImageNet's own list of validation images to leave out has their numbers.
  const auto number = ImageNetNumber(file);
  const std::string digits = number ? std::to_string(*number) : std::string();
  const std::string_view names[] = {key, path, file, digits};
  for (auto name = std::begin(names); name != std::end(names); ++name) {
    // A key may be a path and a path a file's name.
    if (std::find(std::begin(names), name, *name) != name) continue;
    const auto found = list.find(*name);
    if (found == list.end()) continue;
    ++found->second.matched;
    matches = true;
  }
  return matches;
}

Status NoteMatches(const std::string& path, const Blacklist& list,
                   SourceSet& set) {
  std::uint64_t strangers = 0;
  std::string several;
  const auto ignore = [&](const std::string& text, const char* reason,
                          std::uint64_t number) {
    set.ignored.push_back({.key = text,
                           .reason = reason,
                           .list = FileNameOf(path),
                           .line = number});
  };
  for (const auto& [text, line] : list) {
    if (line.matched == 0) {
      ++strangers;
      ignore(text, "blacklist-unmatched", line.number);
    } else if (line.matched > 1) {
      ignore(text, "blacklist-of-several", line.number);
      if (!several.empty()) continue;
      several = EscapeBytes(text) + " matches " + std::to_string(line.matched) +
                " images";
    }
  }
  const std::string lines = std::to_string(strangers) + " of " +
                            std::to_string(list.size()) +
                            " lines match no image";
  if (strangers > 0 && strangers == list.size()) {
    return Status(Code::kInvalidArgument, lines).At({.path = path});
  }
  std::string note = strangers > 0 ? lines : "";
  if (!several.empty()) note += (note.empty() ? "" : "; ") + several;
  if (!note.empty()) set.notes.push_back(EscapeBytes(path) + ": " + note);
  return Status();
}

}  // namespace

Status ApplyBlacklist(ReadableStorage& storage, const std::string& path,
                      SourceSet& set) {
  Blacklist list;
  const auto take = [&list](std::string line, const LineError& at) {
    list.emplace(std::move(line), BlackLine{at.number()});
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ForEachName(
      storage, path, {.wanted = {FileColumn()}, .takes_input = true}, take));

  std::vector<bool> keep(set.samples.size(), true);
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    const std::string_view key = set.samples.key(i);
    if (!Matches(list, key, set.samples.path(i))) continue;
    keep[i] = false;
    set.ignored.push_back(
        {std::string(key), "blacklisted", set.samples.root(i)});
  }
  set.samples.Keep(keep);
  for (SourceProblem& bad : std::exchange(set.bad, {})) {
    if (Matches(list, bad.key, bad.key)) {
      bad.reason = "blacklisted";
      set.ignored.push_back(std::move(bad));
    } else {
      set.bad.push_back(std::move(bad));
    }
  }
  return NoteMatches(path, list, set);
}

}  // namespace shardine
