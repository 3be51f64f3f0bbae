#include "source/image_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "source/blacklist.h"
#include "source/folder_walk.h"
#include "source/name_order.h"
#include "source/source_file.h"
#include "source/source_snapshot.h"

namespace shardine {
namespace {

Status Invalid(const char* message, const std::string& path) {
  return Status(Code::kInvalidArgument, message).At({.path = path});
}

// Adds the files of one folder; `next_id` moves on.
Status AddFolder(ReadableStorage& storage, std::uint32_t root,
                 const std::optional<FileInfo>& output, std::uint64_t& next_id,
                 SourceSet& set) {
  const std::string& path = set.roots[root];
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage.Stat(path));
  if (output && IsSameFile(*output, info)) {
    return Invalid("is the output, too", path);
  }
  SHARDINE_ASSIGN_OR_RETURN(const NeighbourNames names, NeighbourNames::Of({}));
  FolderWalk walk(storage, path, /*descend=*/true, output, &names);
  SHARDINE_RETURN_IF_ERROR(walk.Walk("", info));
  for (const SourceProblem& problem : walk.ignored) {
    set.ignored.push_back({problem.key, problem.reason, root});
  }
  for (std::string& key : walk.tables) {
    set.ignored.push_back({std::move(key), "metadata-file", root});
  }
  if (walk.files.empty()) return Invalid("no images", path);
  std::sort(
      walk.files.begin(), walk.files.end(),
      [](const auto& a, const auto& b) { return WalkLess(a.key, b.key); });
  for (const FolderWalk::File& file : walk.files) {
    AddSourceFile(storage,
                  {.key = file.key,
                   .id = next_id++,
                   .labels = {},
                   .split = root,
                   .root = root,
                   .is_link = file.is_link},
                  set);
  }
  return Status();
}

Result<SourceSet> LoadFolders(ReadableStorage& storage,
                              const SourceOptions& options,
                              const std::string& output) {
  if (!options.list_root.empty()) {
    return Status(Code::kInvalidArgument,
                  "a folder that a list's paths start from needs the list");
  }
  if (options.folders.empty()) {
    return Status(Code::kInvalidArgument, "no source");
  }
  if (options.folders.size() >= SourceList::kMaxRoots) {
    return Status(Code::kInvalidArgument, "too many sources");
  }
  std::optional<FileInfo> made;
  if (const auto info = storage.Stat(output); info.ok()) made = *info;
  SourceSet set;
  std::uint64_t next_id = 0;
  for (const SourceOptions::Folder& folder : options.folders) {
    set.roots.push_back(folder.path);
    set.splits.push_back(folder.split);
    SHARDINE_RETURN_IF_ERROR(
        AddFolder(storage, static_cast<std::uint32_t>(set.roots.size() - 1),
                  made, next_id, set));
  }
  if (!options.blacklist.empty()) {
    SHARDINE_RETURN_IF_ERROR(ApplyBlacklist(storage, options.blacklist, set));
  }
  return set;
}

}  // namespace

Result<SourceSet> LoadImageFiles(ReadableStorage& storage,
                                 const SourceOptions& options,
                                 const std::string& output) {
  if (!options.list.empty()) {
    SourceOptions listed = options;
    listed.unlabelled = true;  // files have no labels to lose
    listed.unite_classes = true;
    return LoadSource(storage, listed);
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto snapshot,
                            SnapshotOf(storage, options.folders));
  return LoadFolders(snapshot == nullptr ? storage : *snapshot, options,
                     output);
}

}  // namespace shardine
