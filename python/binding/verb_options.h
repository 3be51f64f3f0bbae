// Options that several verbs have, read the same way for all of them.
#ifndef SHARDINE_BINDING_VERB_OPTIONS_H_
#define SHARDINE_BINDING_VERB_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binding/option_reader.h"
#include "shardine/file_pattern.h"
#include "shardine/pack.h"

namespace shardine::binding {

// All options of pack, source and out among them.
PackOptions ReadPack(const nb::dict& options);

// jobs: 0 stands for this process's share.
inline void ReadRun(OptionReader& given, unsigned& threads) {
  constexpr unsigned kMostThreads = 1024;
  given.Number("jobs", threads, 0u, kMostThreads);
}

// Shard files and, where any is named, the split of each. A path may be a
// pattern of ExpandPattern().
inline void ReadShards(OptionReader& given, const char* name,
                       std::vector<std::string>& files,
                       std::vector<std::string>& splits) {
  std::vector<NamedPath> paths;
  given.NamedPaths(name, paths);
  for (const NamedPath& each : paths) {
    auto expanded = ExpandPattern(each.path);
    if (!expanded.ok()) RefuseOption(name, expanded.status());
    for (std::string& file : *expanded) {
      files.push_back(std::move(file));
      if (!each.name.empty()) splits.push_back(each.name);
    }
  }
}

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_VERB_OPTIONS_H_
