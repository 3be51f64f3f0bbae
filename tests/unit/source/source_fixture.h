// Fixture of tests of sources: short ways to say a tree, an option, and their
// results.
#ifndef SHARDINE_UNIT_SOURCE_SOURCE_FIXTURE_H_
#define SHARDINE_UNIT_SOURCE_SOURCE_FIXTURE_H_

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/memory_storage.h"
#include "source/source_set.h"
#include "support/fault_storage.h"

namespace shardine {

using Strings = std::vector<std::string>;

// "key", "id key", "split/id key =label,label": one text per sample.
inline Strings KeysOf(const SourceSet& set) {
  Strings keys;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    keys.emplace_back(set.samples.key(i));
  }
  return keys;
}
inline Strings RowsOf(const SourceSet& set) {
  Strings rows;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    std::string row = set.splits[set.samples.split(i)] + "/" +
                      std::to_string(set.samples.id(i)) + " " +
                      std::string(set.samples.key(i));
    set.samples.GetLabels(i, labels);
    for (const Label& label : labels) row += " =" + label.ToString();
    rows.push_back(row);
  }
  return rows;
}
inline Strings ClassesOf(const SourceSet& set) {
  Strings rows;
  for (const ClassInfo& info : set.classes) {
    rows.push_back(std::to_string(info.label) + " " + info.name + " x" +
                   std::to_string(info.count));
  }
  return rows;
}
inline Strings ProblemsOf(const std::vector<SourceProblem>& problems) {
  Strings rows;
  for (const SourceProblem& problem : problems) {
    rows.push_back(problem.reason + " " + problem.key);
    if (problem.line == 0) continue;
    rows.back() +=
        " (" + problem.list + ":" + std::to_string(problem.line) + ")";
  }
  return rows;
}

inline void PutAll(MemoryStorage& storage, const Strings& paths) {
  for (const std::string& path : paths) storage.Put(path, "bytes");
}

// A source that is the folder "t".
inline SourceOptions TreeOptions() {
  SourceOptions options;
  options.folders = {{"train", "t"}};
  return options;
}

inline SourceSet Load(Storage& storage, const SourceOptions& options) {
  Result<SourceSet> set = LoadSource(storage, options);
  INFO(set.status().ToString());
  REQUIRE(set.ok());
  return *std::move(set);
}
inline Status LoadError(Storage& storage, const SourceOptions& options) {
  const Result<SourceSet> set = LoadSource(storage, options);
  REQUIRE_FALSE(set.ok());
  return set.status();
}

// Lists folders backwards.
class BackwardStorage : public FaultStorage {
 public:
  explicit BackwardStorage(Storage& below)
      : FaultStorage(below, {.operation = Operation::kLock,
                             .call = std::numeric_limits<uint64_t>::max()}) {}

  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    auto entries = FaultStorage::List(directory);
    if (entries.ok()) {
      std::sort(
          entries->begin(), entries->end(),
          [](const DirEntry& a, const DirEntry& b) { return a.name > b.name; });
    }
    return entries;
  }
};

}  // namespace shardine

#endif  // SHARDINE_UNIT_SOURCE_SOURCE_FIXTURE_H_
