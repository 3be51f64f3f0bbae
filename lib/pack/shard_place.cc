#include "pack/shard_place.h"

#include "base/status_macros.h"
#include "dataset/own_path.h"
#include "shard/shard_file.h"

namespace shardine {

Status PlaceShard(const OutputFolder& folder, const FormatAndLayout& format,
                  const std::string& from, const std::string& name) {
  Storage& storage = folder.storage();
  const std::string to = folder.PathOf(ShardFileOf(format, name));
  if (IsInDirectory(format)) {
    // A link in the folder's place would lead the shard into a foreign folder.
    SHARDINE_RETURN_IF_ERROR(CheckOwnFolder(storage, folder.path(), name));
    SHARDINE_RETURN_IF_ERROR(storage.CreateDirectories(folder.PathOf(name)));
  }
  SHARDINE_RETURN_IF_ERROR(storage.RenameNew(from, to));
  return IsInDirectory(format) ? storage.SyncDirectory(DirectoryOf(to))
                               : Status();
}

Status RemoveShard(const OutputFolder& folder, const FormatAndLayout& format,
                   const std::string& name) {
  Storage& storage = folder.storage();
  const std::string file = folder.PathOf(ShardFileOf(format, name));
  if (IsInDirectory(format)) {
    SHARDINE_RETURN_IF_ERROR(CheckOwnFolder(storage, folder.path(), name));
  }
  SHARDINE_RETURN_IF_ERROR(folder.Remove(file));
  if (IsInDirectory(format)) {
    const Status synced = storage.SyncDirectory(DirectoryOf(file));
    if (synced.code() != Code::kNotFound) SHARDINE_RETURN_IF_ERROR(synced);
    // Best effort: an empty one, left by a kill before the file had its name,
    // goes as well.
    (void)storage.Remove(folder.PathOf(name));
  }
  return storage.SyncDirectory(folder.path());
}

}  // namespace shardine
