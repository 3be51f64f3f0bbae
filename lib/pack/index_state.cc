#include "pack/index_state.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/manifest.h"
#include "pack/journal.h"

namespace shardine {
namespace {

Status Refuse(std::string what, const std::string& path) {
  return Status(Code::kChanged, std::move(what) +
                                    "; index into another folder, or remove "
                                    "this one")
      .At({.path = path});
}

std::string OptionOf(const Manifest& manifest, const std::string& name) {
  const auto found = manifest.made.options.find(name);
  return found == manifest.made.options.end() ? "" : found->second;
}

bool IsOfThese(const Manifest& manifest, const IndexOptions& options,
               const std::vector<std::string>& files) {
  if (manifest.plan_digest != Digest128() || manifest.splits.size() != 1 ||
      manifest.splits[0].name != options.split ||
      OptionOf(manifest, "list") != options.list ||
      (!options.format.empty() &&
       !manifest.format.starts_with(options.format))) {
    return false;
  }
  return std::ranges::equal(
      manifest.splits[0].shards, files, {},
      [](const ManifestShard& shard) { return shard.file.path; });
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
    return Refuse("already holds a dataset of other files or options",
                  output.path());
  }
  PackResult result;
  for (const ManifestShard& shard : manifest->splits[0].shards) {
    const std::string path = output.PathOf(shard.file.path);
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage.Stat(path));
    if (info.size != shard.file.bytes) {
      return Refuse("has another size than when it was indexed", path);
    }
  }
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output));
  result.output = output.path();
  result.format = manifest->format;
  result.samples = manifest->samples();
  result.classes = manifest->classes.size();
  result.shards = files.size();
  result.content_digest = manifest->content_digest();
  result.nothing_to_do = true;
  return std::optional(std::move(result));
}

}  // namespace shardine
