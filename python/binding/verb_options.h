// Options that several verbs have, read the same way for all of them.
#ifndef SHARDINE_BINDING_VERB_OPTIONS_H_
#define SHARDINE_BINDING_VERB_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binding/option_reader.h"
#include "shardine/file_pattern.h"

namespace shardine::binding {

// What becomes of the orientation that an image says of itself.
enum class Exif : std::uint8_t { kIgnore, kApply };

// Images and folders that another program is used to.
enum class ResizePreset : std::uint8_t { kImagenet18 };

// jobs: 0 stands for this process's share.
inline void ReadRun(OptionReader& given, unsigned& threads) {
  constexpr unsigned kMostThreads = 1024;
  given.Number("jobs", threads, 0u, kMostThreads);
}

// ValueError where both are given: of the two one would be passed over.
inline void ReadShardSizes(OptionReader& given, std::uint64_t& shards,
                           std::uint64_t& bytes) {
  given.Number("shards", shards, std::uint64_t{1});
  given.Size("shard_size", bytes);
  if (given.has("shards") && given.has("shard_size")) {
    throw nb::value_error("shards and shard_size exclude each other");
  }
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

namespace shardine {

template <>
struct EnumWords<binding::Exif> {
  static constexpr EnumWord<binding::Exif> kWords[] = {
      {binding::Exif::kIgnore, "ignore"}, {binding::Exif::kApply, "apply"}};
};

template <>
struct EnumWords<binding::ResizePreset> {
  static constexpr EnumWord<binding::ResizePreset> kWords[] = {
      {binding::ResizePreset::kImagenet18, "imagenet18"}};
};

}  // namespace shardine

#endif  // SHARDINE_BINDING_VERB_OPTIONS_H_
