#include "source/output_place.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "archive/archive_storage.h"
#include "base/status_macros.h"
#include "io/output_names.h"

namespace shardine {
namespace {

// Longer paths than the system takes have no more.
constexpr int kMaxFolders = 4096;

// The manifest, and the folders of work; a resize to files leaves its folder.
constexpr const char* kOutputNames[] = {kManifestName, kWorkFolder,
                                        kResizeFolder};

// The folder, or the first existing one above it by name, and all folders that
// it lies in, found by "..", not by names: links have names elsewhere.
Result<std::vector<FileInfo>> FoldersAbove(ReadableStorage& storage,
                                           std::string folder) {
  auto info = storage.Stat(folder);
  while (info.status().code() == Code::kNotFound) {
    const std::string above = DirectoryOf(folder);
    if (above == folder) break;
    folder = above;
    info = storage.Stat(folder);
  }
  std::vector<FileInfo> found;
  for (int i = 0; i < kMaxFolders; ++i) {
    if (!info.ok()) return std::move(info).status();
    if (!found.empty() && IsSameFile(found.back(), *info)) return found;
    found.push_back(*info);
    if (info->kind != FileKind::kDirectory) return found;
    folder += "/..";
    info = storage.Stat(folder);
  }
  return Status(Code::kFailed, "lies in too many folders").At({.path = folder});
}

// The folder tree of the source that `place` is or lies in; empty: none.
Result<std::string> TreeAround(ReadableStorage& storage,
                               const SourceOptions& source,
                               const OutputFolder& place) {
  if (!source.list.empty() || place.path().empty()) return std::string();
  // A place in another storage lies in no tree of this one.
  const auto* const archives = dynamic_cast<const ArchiveStorage*>(&storage);
  const ReadableStorage* const disk =
      archives == nullptr ? &storage : &archives->below();
  if (&place.storage() != disk) return std::string();
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<FileInfo> above,
                            FoldersAbove(storage, place.path()));
  for (const SourceOptions::Folder& folder : source.folders) {
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo root, storage.Stat(folder.path));
    const bool is_around = std::ranges::any_of(
        above, [&](const FileInfo& info) { return IsSameFile(info, root); });
    if (is_around) return folder.path;
  }
  return std::string();
}

}  // namespace

Status RefuseOutputInSource(ReadableStorage& storage,
                            const SourceOptions& source,
                            const OutputFolder& output) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string tree,
                            TreeAround(storage, source, output));
  if (tree.empty()) return Status();
  return Status(Code::kInvalidArgument,
                "lies in the source " + tree +
                    ", where it would be taken for a class of images; choose "
                    "a folder outside")
      .At({.path = output.path()});
}

Status RefusePlanInSource(ReadableStorage& storage, const SourceOptions& source,
                          const OutputFolder& folder, const std::string& plan) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string tree,
                            TreeAround(storage, source, folder));
  if (tree.empty()) return Status();
  return Status(Code::kInvalidArgument,
                "lies in the source " + tree +
                    ", which a plan must not change; choose a place outside")
      .At({.path = plan});
}

bool NamesOutput(const std::string& name) {
  return std::ranges::find(kOutputNames, name) != std::end(kOutputNames);
}

Result<bool> IsOutput(ReadableStorage& storage, const std::string& folder) {
  for (const char* name : kOutputNames) {
    const auto info = storage.Stat(JoinPath(folder, name));
    if (info.ok()) return true;
    if (info.status().code() != Code::kNotFound) return info.status();
  }
  return false;
}

}  // namespace shardine
