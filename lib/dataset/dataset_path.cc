#include "dataset/dataset_path.h"

#include <algorithm>
#include <string_view>

#include "base/status_macros.h"
#include "dataset/dataset_folder.h"
#include "dataset/manifest.h"
#include "shard/companion_folder.h"

namespace shardine {
namespace {

bool Names(const Manifest& manifest, const std::string& file) {
  // A shard may be a folder of files.
  const auto is_it = [&](const ManifestFile& each) {
    return file.starts_with(each.path) &&
           (file.size() == each.path.size() || file[each.path.size()] == '/');
  };
  if (std::ranges::any_of(manifest.files, is_it)) return true;
  for (const ManifestSplit& split : manifest.splits) {
    for (const ManifestShard& shard : split.shards) {
      if (is_it(shard.file) || std::ranges::any_of(shard.companions, is_it)) {
        return true;
      }
    }
  }
  return false;
}

// Whether it is a shard or companion of the dataset beside it. A manifest that
// cannot be read says nothing.
bool IsOfDataset(ReadableStorage& storage, const std::string& file) {
  std::string folder = DirectoryOf(file);
  std::string name = FileNameOf(file);
  if (FileNameOf(folder) == kCompanionFolder) {
    name = JoinPath(kCompanionFolder, name);
    folder = DirectoryOf(folder);
  }
  const auto manifest = ReadManifest(storage, folder);
  return manifest.ok() && Names(*manifest, name);
}

DatasetPath Folder(const std::string& path) {
  return {.path = path, .is_bare_shard = false};
}

}  // namespace

Result<DatasetPath> FindDatasetPath(ReadableStorage& storage,
                                    const std::string& path,
                                    const FormatRegistry& formats) {
  SHARDINE_ASSIGN_OR_RETURN(const bool is_known,
                            IsRemoteDataset(storage, path));
  if (is_known) return Folder(path);
  // A server that does not answer need not be asked for more.
  const auto info = storage.Stat(path);
  const Code code = info.status().code();
  if (code == Code::kRemote || code == Code::kCancelled) return info.status();
  if (info.ok() && info->kind == FileKind::kDirectory) {
    if (storage.Stat(JoinPath(path, kManifestName)).ok()) return Folder(path);
    const std::string file = formats.ShardFileAt(storage, path);
    return DatasetPath{.path = file, .is_bare_shard = file != path};
  }
  const bool is_shard = info.ok() && FileNameOf(path) != kManifestName &&
                        !IsOfDataset(storage, path);
  if (is_shard) return DatasetPath{.path = path, .is_bare_shard = true};
  SHARDINE_ASSIGN_OR_RETURN(const std::string folder,
                            DatasetFolder(storage, path));
  return Folder(folder);
}

Status CheckIsNotOfDataset(ReadableStorage& storage, const std::string& file) {
  const Status refusal =
      Status(Code::kInvalidArgument,
             "is a file of a dataset, which nothing else replaces")
          .At({.path = file});
  if (FileNameOf(file) == kManifestName) return refusal;
  std::string folder = file;
  std::string name;
  do {
    name = name.empty() ? FileNameOf(folder) : FileNameOf(folder) + '/' + name;
    const std::string above = DirectoryOf(folder);
    if (above == folder) break;
    folder = above;
    const auto manifest = ReadManifest(storage, folder);
    // A damaged manifest may have listed it.
    if (manifest.ok() ? Names(*manifest, name)
                      : manifest.status().code() == Code::kCorrupt) {
      return refusal;
    }
  } while (folder != "." && !folder.ends_with("://"));
  return Status();
}

}  // namespace shardine
