#include "dataset/given_dataset.h"

#include <algorithm>
#include <string_view>

#include "dataset/manifest.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::string_view kOwnFolder = ".shardine";  // of companions

bool IsFolder(Storage& storage, const std::string& path) {
  const auto info = storage.Stat(path);
  return info.ok() && info->kind == FileKind::kDirectory;
}

bool Names(const Manifest& manifest, const std::string& file) {
  const auto is_it = [&](const ManifestFile& each) {
    return each.path == file;
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

// The folder of the dataset that `file` is of; empty if there is none, or its
// manifest cannot be read: then it is no help here.
std::string DatasetAround(Storage& storage, const std::string& file) {
  std::string folder = DirectoryOf(file);
  std::string name = FileNameOf(file);
  if (FileNameOf(folder) == kOwnFolder) {
    name = JoinPath(std::string(kOwnFolder), name);
    folder = DirectoryOf(folder);
  }
  const auto manifest = ReadManifest(storage, folder);
  return manifest.ok() && Names(*manifest, name) ? folder : "";
}

GivenDataset Folder(const std::string& path) {
  return {.path = path, .is_bare_shard = false};
}

}  // namespace

Result<GivenDataset> FindGivenDataset(Storage& storage, const std::string& path,
                                      const FormatRegistry& formats) {
  if (IsFolder(storage, path)) {
    if (storage.Stat(JoinPath(path, kManifestName)).ok()) return Folder(path);
    const std::string file = formats.ShardFileAt(storage, path);
    return GivenDataset{.path = file, .is_bare_shard = file != path};
  }
  if (!storage.Stat(path).ok()) return Folder(path);
  if (FileNameOf(path) == kManifestName) return Folder(DirectoryOf(path));
  const std::string folder = DatasetAround(storage, path);
  if (folder.empty()) return GivenDataset{.path = path, .is_bare_shard = true};
  return Status(Code::kInvalidArgument,
                "one file of a dataset; the dataset is its folder, \"" +
                    EscapeBytes(folder) + "\"")
      .At({.path = path});
}

}  // namespace shardine
