#include "pack/index_sources.h"

#include <filesystem>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/shard_format.h"
#include "io/path_scheme.h"
#include "shard/companion_folder.h"
#include "shardine/address.h"

namespace shardine {
namespace {

// From the root of its machine, or of its service.
std::filesystem::path WholePath(const std::string& path) {
  const std::string scheme = SchemeOf(path);
  std::error_code error;
  std::filesystem::path whole =
      scheme.empty() ? std::filesystem::absolute(path, error)
                     : std::filesystem::path(path.substr(scheme.size() + 2));
  return whole.lexically_normal();
}

// The way from the output folder to a file, by the names of their folders.
Result<std::string> RelativePath(const OutputFolder& output,
                                 const std::string& path) {
  ReadableStorage& storage = output.storage();
  const std::string relative =
      WholePath(path)
          .lexically_relative(WholePath(output.path()) / "")
          .generic_string();
  // Links on the way can make ".." lead elsewhere.
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo wanted, storage.Stat(path));
  const auto reached = storage.Stat(output.PathOf(relative));
  // Where files have no identity there are no links, either.
  const bool is_there =
      reached.ok() &&
      (wanted.inode == 0 ? SchemeOf(path) == SchemeOf(output.path())
                         : IsSameFile(*reached, wanted));
  if (relative.empty() || !is_there) {
    return Status(Code::kInvalidArgument,
                  "cannot be reached from the output folder by names; give "
                  "both without symbolic links")
        .At({.path = path});
  }
  return relative;
}

std::string ListBeside(ReadableStorage& storage, const std::string& path) {
  const std::size_t dot = FileNameOf(path).rfind('.');
  if (dot == std::string::npos) return "";
  const std::string list =
      path.substr(0, path.size() - FileNameOf(path).size() + dot) + ".lst";
  return storage.Stat(list).ok() ? list : "";
}

// What is for writing alone is no reason to read files apart: where they differ
// in it, all have the default.
void UniteSourceValues(FormatAndLayout& common, FormatAndLayout& found) {
  if (common.layout != found.layout) return;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const LayoutParameter& parameter = found.layout->parameters[i];
    if (parameter.of_foreign != kAsFound || common.values[i] == found.values[i])
      continue;
    common.values[i] = parameter.default_value;
    found.values[i] = parameter.default_value;
  }
}

}  // namespace

Result<std::vector<IndexSource>> FindSources(const IndexPlace& place,
                                             const IndexOptions& options,
                                             const FormatRegistry& formats) {
  ReadableStorage& storage = place.shards;
  std::vector<IndexSource> sources;
  std::set<std::string> names;
  if (!options.splits.empty() &&
      (options.splits.size() != options.files.size() ||
       !options.split.empty())) {
    return Status(Code::kInvalidArgument,
                  "one split for all files, or one for each of them");
  }
  for (std::string path : options.files) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    SHARDINE_RETURN_IF_ERROR(CheckAddress(path));
    if (place.on_disk && SchemeOf(path) != SchemeOf(place.output.path())) {
      return Status(Code::kUnsupported,
                    "is in another place than the dataset that is to name it")
          .At({.path = path});
    }
    IndexSource source;
    source.split =
        options.splits.empty() ? options.split : options.splits[sources.size()];
    source.path = formats.ShardFileAt(storage, path);
    // Sidecars of shards from several folders lie in one, so that their names
    // have to differ there. In memory they are nobody's.
    source.sidecar = SidecarName(
        place.on_disk ? FileNameOf(path) : std::to_string(sources.size()));
    source.list =
        options.list.empty() ? ListBeside(storage, path) : options.list;
    if (!names.insert(source.sidecar).second) {
      return Status(Code::kInvalidArgument, "two files have this name")
          .At({.path = FileNameOf(path)});
    }
    source.relative = source.path;
    if (place.on_disk) {
      SHARDINE_ASSIGN_OR_RETURN(source.relative,
                                RelativePath(place.output, source.path));
    }
    sources.push_back(std::move(source));
  }
  if (sources.empty()) {
    return Status(Code::kInvalidArgument, "no files to index");
  }
  return sources;
}

Result<FormatAndLayout> CommonFormat(ReadableStorage& storage,
                                     const std::vector<IndexSource>& sources,
                                     const IndexOptions& options,
                                     const FormatRegistry& formats) {
  if (!options.format.empty()) return ParseFormat(formats, options.format);
  std::vector<std::string> paths;
  for (const IndexSource& source : sources) paths.push_back(source.path);
  FormatAndLayout common;
  bool told = false;  // by a file with records
  for (const std::string& path : paths) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
    SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout found,
                              FormatOfShard(formats, storage, *file, paths));
    // Nothing in an empty file tells its layout.
    const bool tells = file->size() > 0;
    if (told && tells) UniteSourceValues(common, found);
    const bool differs = told && tells ? common.Name() != found.Name()
                                       : common.format != found.format;
    if (common.format != nullptr && differs) {
      return Status(Code::kInvalidArgument,
                    "is " + found.Name() + ", the files before " +
                        common.Name() + "; index them one by one")
          .At({.path = path});
    }
    if (tells || common.format == nullptr) common = std::move(found);
    told = told || tells;
  }
  return common;
}

}  // namespace shardine
