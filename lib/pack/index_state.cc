#include "pack/index_state.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/status_macros.h"
#include "dataset/content_counts.h"
#include "dataset/listed_files.h"
#include "dataset/manifest.h"
#include "pack/journal.h"
#include "shardine/pack_words.h"
#include "shardine/role_options.h"

namespace shardine {
namespace {

Status RefuseIndexed(std::string what, const std::string& path) {
  return Status(Code::kChanged, std::move(what) +
                                    "; index into another folder, or remove "
                                    "this one")
      .At({.path = path});
}

std::string OptionOf(const Manifest& manifest, const std::string& name) {
  const auto found = manifest.made.options.find(name);
  return found == manifest.made.options.end() ? "" : found->second;
}

// Was no split asked for? Older versions note the one that was taken then.
bool NoneAsked(const Manifest& manifest) {
  const std::string split = OptionOf(manifest, "split");
  if (!split.empty() && split != "train") return false;
  return std::ranges::none_of(
      manifest.made.sources, [&](const std::string& source) {
        return std::ranges::any_of(
            manifest.splits, [&](const ManifestSplit& named) {
              return source.starts_with(named.name + "=");
            });
      });
}

// Do the shards lie in their splits, in the order of the files?
bool AreShards(const Manifest& manifest, const IndexOptions& options,
               const std::vector<std::string>& files) {
  std::size_t shards = 0;
  for (const ManifestSplit& split : manifest.splits) {
    std::size_t next = 0;
    for (const ManifestShard& shard : split.shards) {
      const auto at =
          std::find(files.begin() + static_cast<std::ptrdiff_t>(next),
                    files.end(), shard.file.path);
      if (at == files.end()) return false;
      const auto i = static_cast<std::size_t>(at - files.begin());
      const std::string& asked =
          options.splits.empty() ? options.split : options.splits[i];
      if (!asked.empty() && asked != split.name) return false;
      next = i + 1;
    }
    shards += split.shards.size();
  }
  return shards == files.size();
}

bool HasRoles(const Manifest& manifest, const IndexOptions& options) {
  IndexOptions asked = options;
  OptionList roles;
  AddRoleOptions(asked.roles, "", true, roles);
  return std::ranges::all_of(roles, [&](const Option& role) {
    return OptionOf(manifest, role.name) == role.value.get();
  });
}

bool IsOfThese(const Manifest& manifest, const IndexOptions& options,
               const std::vector<std::string>& files) {
  const bool asked = !options.split.empty() || !options.splits.empty();
  return manifest.plan_digest == Digest128() &&
         (asked || NoneAsked(manifest)) &&
         OptionOf(manifest, "list") == options.list &&
         OptionOf(manifest, "list-by") == (options.list_by == MatchBy::kKey
                                               ? ""
                                               : WordOf(options.list_by)) &&
         OptionOf(manifest, "class-names") == options.class_names &&
         HasRoles(manifest, options) &&
         (options.format.empty() ||
          manifest.format.starts_with(options.format)) &&
         AreShards(manifest, options, files);
}

}  // namespace

Result<std::optional<PackResult>> FindIndexed(
    const OutputFolder& output, const IndexOptions& options,
    const std::vector<std::string>& files) {
  ReadableStorage& storage = output.storage();
  const auto manifest = ReadManifest(storage, output.path());
  if (!manifest.ok()) {
    if (manifest.status().code() != Code::kNotFound) return manifest.status();
    return std::optional<PackResult>();
  }
  if (!IsOfThese(*manifest, options, files)) {
    return RefuseIndexed("already holds a dataset of other files or options",
                         output.path());
  }
  PackResult result;
  SHARDINE_RETURN_IF_ERROR(CheckListedFiles(storage, output.path(), *manifest));
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output));
  result.output = output.path();
  result.format = manifest->format;
  result.samples = manifest->samples();
  result.classes = manifest->classes.size();
  result.shards = files.size();
  result.content_digest = manifest->content_digest();
  result.contents = ContentsOf(*manifest);
  result.nothing_to_do = true;
  return std::optional(std::move(result));
}

}  // namespace shardine
