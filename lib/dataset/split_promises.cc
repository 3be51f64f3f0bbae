#include "dataset/split_promises.h"

#include <string_view>

#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::string_view kOptions[] = {kGroupByPromise, "dedup-groups",
                                         "near-groups"};
constexpr std::string_view kKept = "kept ";
constexpr std::string_view kDropped = "dropped ";

void Find(const Provenance& made, std::string_view mark, SplitPromises& to) {
  for (const std::string_view name : kOptions) {
    const auto found = made.options.find(std::string(mark).append(name));
    if (found != made.options.end()) to.emplace(name, found->second);
  }
}

}  // namespace

SplitPromises PromisesOf(const Provenance& made) {
  SplitPromises promises;
  Find(made, "", promises);
  Find(made, kKept, promises);
  return promises;
}

SplitPromises DroppedPromisesOf(const Provenance& made) {
  SplitPromises promises;
  Find(made, kDropped, promises);
  return promises;
}

void RecordPromises(const SplitPromises& kept, const SplitPromises& dropped,
                    Provenance& made) {
  for (const auto& [name, value] : kept) {
    made.options[std::string(kKept) + name] = value;
  }
  for (const auto& [name, value] : dropped) {
    made.options[std::string(kDropped) + name] = value;
  }
}

bool IsPromise(const std::string& name) {
  return name.starts_with(kKept) || name.starts_with(kDropped);
}

std::string PromiseText(const std::string& name, const std::string& value) {
  if (name == "dedup-groups") return "images of the same bytes";
  if (name == "near-groups") return "images that look alike";
  return "samples of a group (" + EscapeBytes(value) + ")";
}

SplitPromiseTexts PromiseTexts(const Provenance& made) {
  SplitPromiseTexts texts;
  for (const auto& [name, value] : PromisesOf(made)) {
    texts.held.push_back(PromiseText(name, value));
  }
  for (const auto& [name, value] : DroppedPromisesOf(made)) {
    texts.dropped.push_back(PromiseText(name, value));
  }
  return texts;
}

}  // namespace shardine
