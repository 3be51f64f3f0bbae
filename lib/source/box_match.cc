#include "source/box_match.h"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// The number of images with a path or file name, and the first two of them.
struct Images {
  std::uint64_t count = 0;
  std::string_view first;
  std::string_view second;

  void Add(std::string_view path) {
    if (count > 0 && path == first) return;  // a path that comes again
    (count == 0 ? first : second) = path;
    ++count;
  }
};

}  // namespace

Status MatchBoxes(ReadableStorage& storage, const std::string& path,
                  SourceSet& set) {
  SHARDINE_ASSIGN_OR_RETURN(set.boxes, BoundingBoxes::Read(storage, path));
  std::unordered_map<std::string_view, Images> by_path;
  std::unordered_map<std::string_view, Images> by_name;
  const auto add = [&](std::string_view image) {
    by_path[image].Add(image);
    by_name[image.substr(image.rfind('/') + 1)].Add(image);
  };
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    add(set.samples.path(i));
  }
  // Unusable images count, too: a line about one has its image.
  for (const SourceProblem& bad : set.bad) add(bad.key);
  for (const SourceProblem& left : set.ignored) {
    if (left.reason == "blacklisted") add(left.key);
  }
  std::uint64_t matched = 0;
  std::vector<std::string> strangers;
  for (const std::string_view name : set.boxes.names()) {
    auto found = by_path.find(name);
    if (found == by_path.end()) {
      found = by_name.find(name);
      if (found == by_name.end()) {
        strangers.emplace_back(name);
        continue;
      }
    }
    if (found->second.count > 1) {
      return Status(Code::kInvalidArgument,
                    "\"" + EscapeBytes(name) +
                        "\" is the name of several "
                        "images, such as " +
                        EscapeBytes(found->second.first) + " and " +
                        EscapeBytes(found->second.second) +
                        ": lines with their paths tell them apart")
          .At({.path = path});
    }
    ++matched;
  }
  const std::string lines = std::to_string(strangers.size()) + " of " +
                            std::to_string(strangers.size() + matched) +
                            " names of " + EscapeBytes(path) +
                            " are of no image";
  if (matched == 0) {
    return Status(Code::kInvalidArgument, lines).At({.path = path});
  }
  if (!strangers.empty()) {
    set.notes.push_back(lines + ", such as " + EscapeBytes(strangers[0]));
  }
  for (const std::string& name : strangers) {
    set.ignored.push_back({.key = name,
                           .reason = "box-unmatched",
                           .list = FileNameOf(path),
                           .line = set.boxes.LineOf(name)});
  }
  return Status();
}

}  // namespace shardine
