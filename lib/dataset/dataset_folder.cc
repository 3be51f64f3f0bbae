#include "dataset/dataset_folder.h"

#include "dataset/manifest.h"
#include "shardine/escape.h"

namespace shardine {

Result<std::string> DatasetFolder(ReadableStorage& storage,
                                  const std::string& path) {
  const auto info = storage.Stat(path);
  const Code code = info.status().code();
  if (code == Code::kRemote || code == Code::kCancelled) return info.status();
  if (!info.ok() || info->kind == FileKind::kDirectory) return path;
  if (FileNameOf(path) == kManifestName) return DirectoryOf(path);
  // Companions lie in a folder of their own, variants further down.
  std::string folder = DirectoryOf(path);
  if (FileNameOf(folder).starts_with('.')) folder = DirectoryOf(folder);
  const bool part = storage.Stat(JoinPath(folder, kManifestName)).ok();
  return Status(Code::kNotFound, part ? "is one file of the dataset " +
                                            EscapeBytes(folder) +
                                            ", not the dataset"
                                      : "is a file, not a dataset")
      .At({.path = path});
}

}  // namespace shardine
