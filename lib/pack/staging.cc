#include "pack/staging.h"

#include "base/status_macros.h"
#include "dataset/unfinished.h"
#include "io/atomic_file.h"
#include "pack/shard_notes.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"
#include "source/shard_plan.h"

namespace shardine {
namespace {

// The sidecar is last: with it a shard is finished.
std::vector<std::string> FilesOf(const std::string& shard,
                                 const FormatAndLayout& format) {
  const std::string sidecar = SidecarName(shard);
  std::vector<std::string> files = {shard, EntryPointName(sidecar), sidecar};
  const std::string companion = format.CompanionName(shard);
  if (!companion.empty()) files.insert(files.begin() + 1, companion);
  return files;
}

// A companion that says its shard's name is written anew with the final one.
Status RenameCompanion(Storage& storage, const std::string& staged,
                       const std::string& path, const FormatAndLayout& format) {
  const std::string companion = format.CompanionName(path);
  SHARDINE_RETURN_IF_ERROR(format.format->rename_companion(
      storage, {.shard = path, .companion = TemporaryName(companion)}));
  SHARDINE_RETURN_IF_ERROR(PublishTemporary(storage, companion));
  return storage.Remove(format.CompanionName(staged));
}

Status MoveShard(Storage& storage, const std::string& staged,
                 const std::string& path, const FormatAndLayout& format) {
  const std::vector<std::string> from = FilesOf(staged, format);
  const std::vector<std::string> to = FilesOf(path, format);
  for (std::size_t i = 0; i < from.size(); ++i) {
    // Not every shard has entry points.
    if (storage.Stat(from[i]).status().code() == Code::kNotFound) continue;
    if (from[i] == format.CompanionName(staged) &&
        format.format->rename_companion != nullptr) {
      SHARDINE_RETURN_IF_ERROR(RenameCompanion(storage, staged, path, format));
    } else {
      SHARDINE_RETURN_IF_ERROR(storage.Rename(from[i], to[i]));
    }
  }
  return Status();
}

// Nothing of somebody else's gives way to a shard.
Status RefuseTaken(const OutputFolder& output, const FormatAndLayout& format,
                   const std::vector<StagedName>& names) {
  for (const StagedName& name : names) {
    for (const std::string& file : FilesOf(name.final, format)) {
      const std::string path = output.PathOf(file);
      const auto info = output.storage().Stat(path);
      if (info.status().code() == Code::kNotFound) continue;
      if (!info.ok()) return info.status();
      return Status(Code::kAlreadyExists,
                    "is in the way of a shard and appeared while it was made")
          .At({.path = path});
    }
  }
  return Status();
}

}  // namespace

Status MoveStaged(const OutputFolder& output, const FormatAndLayout& format,
                  const std::vector<StagedName>& names) {
  // The names are looked at once more: the folder was empty when the writing
  // began, which may be hours ago.
  SHARDINE_RETURN_IF_ERROR(RefuseTaken(output, format, names));
  for (const StagedName& name : names) {
    // All notes are there before the first file moves. After a kill in between,
    // the next run finds in them which files of OUT are unfinished work.
    SHARDINE_RETURN_IF_ERROR(SaveShardNotes(output, name.final, ShardNotes()));
  }
  const std::string folder = StagingFolder(output.path());
  for (const StagedName& name : names) {
    SHARDINE_RETURN_IF_ERROR(MoveShard(output.storage(),
                                       JoinPath(folder, name.staged),
                                       output.PathOf(name.final), format));
  }
  return output.storage().SyncDirectory(output.path());
}

Status RemoveStaged(const OutputFolder& output, const FormatAndLayout& format) {
  SHARDINE_ASSIGN_OR_RETURN(const auto noted, ListNotedShards(output));
  for (const std::string& name : noted) {
    // A note is a file that anybody may have put there: no name but a shard's
    // is put together with the folder and removed.
    if (!IsShardName(name, format.format->suffix)) continue;
    for (const std::string& file : FilesOf(name, format)) {
      const std::string path = output.PathOf(file);
      SHARDINE_RETURN_IF_ERROR(output.Remove(path));
      SHARDINE_RETURN_IF_ERROR(output.Remove(TemporaryName(path)));
    }
    SHARDINE_RETURN_IF_ERROR(RemoveShardNotes(output, name));
  }
  const std::string folder = StagingFolder(output.path());
  const auto entries = output.storage().List(folder);
  if (entries.status().code() == Code::kNotFound) return Status();
  if (!entries.ok()) return entries.status();
  for (const DirEntry& entry : *entries) {
    SHARDINE_RETURN_IF_ERROR(output.Remove(JoinPath(folder, entry.name)));
  }
  return output.Remove(folder);
}

}  // namespace shardine
