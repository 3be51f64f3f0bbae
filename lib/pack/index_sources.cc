#include "pack/index_sources.h"

#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/shard_format.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "shard/companion_folder.h"
#include "shardine/address.h"
#include "source/server_threads.h"

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

struct FoundFile {
  std::string path;
  std::string list;  // none: ""
};

// `list`: one for all of them. Many files of a server are asked for at a time.
std::vector<FoundFile> FindFiles(ReadableStorage& storage,
                                 const std::vector<std::string>& paths,
                                 const std::string& list,
                                 const FormatRegistry& formats) {
  std::vector<FoundFile> found(paths.size());
  const auto find = [&](std::size_t i) {
    found[i].path = formats.ShardFileAt(storage, paths[i]);
    found[i].list = list.empty() ? ListBeside(storage, paths[i]) : list;
    return Status();
  };
  if (paths.empty()) return found;
  (void)ParallelFor(paths.size(), ServerThreads(paths[0], 1, kServerBlocks),
                    find);
  return found;
}

// A difference in values for writing alone is no reason to read files apart:
// all get the default.
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

// The last parts of each path that tell it from the others, "%2F" between them.
std::vector<std::string> TellingNames(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::size_t>> called;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    names.emplace_back(FileNameOf(paths[i]));
    called[names[i]].push_back(i);
  }
  // The folders that a name does not say.
  std::vector<std::string> left = paths;
  const auto lengthen = [&](std::size_t i) {
    left[i].resize(left[i].size() - FileNameOf(left[i]).size());
    while (left[i].ends_with('/')) left[i].pop_back();
    if (!left[i].empty()) {
      names[i] = FileNameOf(left[i]) + "%2F" + names[i];
    }
    return !left[i].empty();
  };
  for (bool is_longer = true; is_longer;) {
    is_longer = false;
    std::map<std::string, std::vector<std::size_t>> longer;
    for (const auto& [name, of_name] : called) {
      for (const std::size_t i : of_name) {
        is_longer = (of_name.size() > 1 && lengthen(i)) || is_longer;
        longer[names[i]].push_back(i);
      }
    }
    called = std::move(longer);
  }
  return names;
}

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
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
  std::vector<std::string> paths;
  for (const std::string& path : options.files) {
    paths.push_back(WithoutSlashes(path));
  }
  const std::vector<std::string> telling = TellingNames(paths);
  for (const std::string& path : paths) {
    SHARDINE_RETURN_IF_ERROR(CheckAddress(path));
    if (place.on_disk && SchemeOf(path) != SchemeOf(place.output.path())) {
      return Status(Code::kUnsupported,
                    "is in another place than the dataset that is to name it")
          .At({.path = path});
    }
  }
  const std::vector<FoundFile> found =
      FindFiles(storage, paths, options.list, formats);
  for (const std::string& path : paths) {
    IndexSource source;
    source.split =
        options.splits.empty() ? options.split : options.splits[sources.size()];
    source.path = found[sources.size()].path;
    // Sidecars of shards from several folders lie in one, so that their names
    // have to differ there. In memory their names may be equal.
    source.sidecar =
        SidecarName(place.on_disk ? telling[sources.size()]
                                  : std::to_string(sources.size()));
    source.list = found[sources.size()].list;
    source.relative = source.path;
    if (place.on_disk) {
      SHARDINE_ASSIGN_OR_RETURN(source.relative,
                                RelativePath(place.output, source.path));
      if (!names.insert(source.relative).second ||
          !names.insert(source.sidecar).second) {
        return Status(Code::kInvalidArgument, "is given twice")
            .At({.path = path});
      }
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
  ReadRoles roles;
  static_cast<FieldRoles&>(roles) = options.roles;
  if (!options.format.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                              ParseFormat(formats, options.format));
    if (!format.roles.empty()) {
      return Status(
          Code::kInvalidArgument,
          format.Name() + " names fields, which are options of their own");
    }
    format.roles = roles;
    return format;
  }
  std::vector<std::string> paths;
  for (const IndexSource& source : sources) paths.push_back(source.path);
  struct Told {
    FormatAndLayout format;
    bool tells = false;  // nothing in an empty file tells its layout
    Status status;       // of one that is damaged and left out
  };
  std::vector<Told> told(paths.size());
  const auto ask = [&](std::size_t i) -> Status {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(paths[i]));
    auto found = FormatOfShard(formats, storage, *file, paths, roles);
    told[i].status = found.status();
    if (found.ok()) told[i].format = *std::move(found);
    told[i].tells = file->size() > 0;
    // Its damage is noted when it is scanned.
    const bool is_left_out =
        sources[i].leaves_out_bad && told[i].status.code() == Code::kCorrupt;
    return is_left_out ? Status() : told[i].status;
  };
  SHARDINE_RETURN_IF_ERROR(ParallelFor(
      paths.size(), ServerThreads(paths[0], 1, kServerBlocks), ask));
  FormatAndLayout common;
  bool is_told = false;  // by a file with records
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!told[i].status.ok()) continue;
    FormatAndLayout& found = told[i].format;
    const bool tells = told[i].tells;
    if (is_told && tells) UniteSourceValues(common, found);
    const bool differs = is_told && tells ? common.Name() != found.Name()
                                          : common.format != found.format;
    if (common.format != nullptr && differs) {
      return Status(Code::kInvalidArgument,
                    "is " + found.Name() + ", the files before " +
                        common.Name() + "; index them one by one")
          .At({.path = paths[i]});
    }
    if (tells || common.format == nullptr) common = std::move(found);
    is_told = is_told || tells;
  }
  if (common.format == nullptr) return told.front().status;
  return common;
}

}  // namespace shardine
