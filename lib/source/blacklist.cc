#include "source/blacklist.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "source/imagenet_name.h"
#include "source/name_file.h"

namespace shardine {
namespace {

// Lines and whether they matched something.
using Blacklist = std::map<std::string, bool, std::less<>>;

bool Matches(Blacklist& list, std::string_view key, std::string_view path) {
  bool matches = false;
  const std::size_t slash = path.rfind('/');
  const std::string_view file =
      slash == std::string_view::npos ? path : path.substr(slash + 1);
  // ImageNet's own list of validation images to leave out has their numbers.
  const auto number = ImageNetNumber(file);
  const std::string digits = number ? std::to_string(*number) : std::string();
  const std::string_view names[] = {key, path, file, digits};
  for (const std::string_view name : names) {
    const auto found = list.find(name);
    if (found == list.end()) continue;
    found->second = true;
    matches = true;
  }
  return matches;
}

}  // namespace

Status ApplyBlacklist(ReadableStorage& storage, const std::string& path,
                      SourceSet& set) {
  Blacklist list;
  const auto take = [&list](std::string line, const LineError&) {
    list.emplace(std::move(line), false);
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ForEachName(storage, path, take));

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
  for (const auto& [line, matched] : list) {
    if (!matched) set.ignored.push_back({line, "blacklist-unmatched"});
  }
  return Status();
}

}  // namespace shardine
