#include "dataset/dataset_folder.h"

#include "base/status_macros.h"
#include "dataset/manifest.h"
#include "io/path_scheme.h"
#include "shard/shard_index.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

bool HasManifest(ReadableStorage& storage, const std::string& folder) {
  return storage.Stat(JoinPath(folder, kManifestName)).ok();
}

Status IsOneFileOf(const std::string& folder, const std::string& path) {
  return Status(Code::kNotFound, "is one file of the dataset " +
                                     EscapeBytes(folder) + ", not the dataset")
      .At({.path = path});
}

}  // namespace

bool MayBeRemoteDataset(const std::string& path) {
  return !SchemeOf(path).empty() &&
         FileNameOf(path).find('.') == std::string::npos;
}

Result<bool> IsRemoteDataset(ReadableStorage& storage,
                             const std::string& path) {
  if (!MayBeRemoteDataset(path)) return false;
  const Status mark = storage.Stat(JoinPath(path, kManifestName)).status();
  if (mark.code() == Code::kRemote || mark.code() == Code::kCancelled) {
    return mark;
  }
  return mark.ok();
}

Result<std::string> DatasetFolder(ReadableStorage& storage,
                                  const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const bool is_known,
                            IsRemoteDataset(storage, path));
  if (is_known) return path;
  const auto info = storage.Stat(path);
  const Code code = info.status().code();
  if (code == Code::kRemote || code == Code::kCancelled) return info.status();
  if (!info.ok() || info->kind == FileKind::kDirectory) return path;
  if (FileNameOf(path) == kManifestName) return DirectoryOf(path);
  // Companions lie in a folder of their own, variants further down.
  std::string folder = DirectoryOf(path);
  if (FileNameOf(folder).starts_with('.')) folder = DirectoryOf(folder);
  if (HasManifest(storage, folder)) return IsOneFileOf(folder, path);
  return Status(Code::kNotFound, SchemeOf(path).empty()
                                     ? "is a file, not a dataset"
                                     : "is a file on a server, not a dataset")
      .At({.path = path});
}

Status CheckIsNoShard(ReadableStorage& storage, const std::string& folder) {
  // The tab key puts a slash after the name of a folder.
  const std::size_t end = folder.find_last_not_of('/');
  if (end == folder.npos) return Status();
  const std::string shard = folder.substr(0, end + 1);
  // Any folder may lie in a dataset's; a sidecar belongs to a shard alone.
  const std::string dataset = DirectoryOf(shard);
  const bool is_shard =
      storage.Stat(SidecarName(shard)).ok() && HasManifest(storage, dataset);
  return is_shard ? IsOneFileOf(dataset, shard) : Status();
}

}  // namespace shardine
