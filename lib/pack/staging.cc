#include "pack/staging.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/status_macros.h"
#include "dataset/unfinished.h"
#include "io/atomic_file.h"
#include "io/digesting_file.h"
#include "pack/shard_notes.h"
#include "pack/shard_place.h"
#include "shard/companion_folder.h"
#include "shard/entry_point_file.h"
#include "shard/shard_file.h"
#include "shard/shard_index.h"
#include "shardine/escape.h"
#include "source/shard_plan.h"

namespace shardine {
namespace {

using nlohmann::json;

// The sidecar is last: with it a shard is finished.
std::vector<std::string> FilesOf(const std::string& shard,
                                 const FormatAndLayout& format) {
  const std::string sidecar = SidecarName(shard);
  std::vector<std::string> files = {ShardFileOf(format, shard),
                                    EntryPointName(sidecar), sidecar};
  const std::string companion = format.CompanionName(shard);
  if (!companion.empty()) files.insert(files.begin() + 1, companion);
  return files;
}

// A companion that holds its shard's name is written again with the final one,
// still in the staging folder: files only move into OUT.
Status RenameCompanion(Storage& storage, const std::string& staged,
                       const std::string& path, const FormatAndLayout& format) {
  const std::string companion = format.CompanionName(staged);
  if (companion.empty() || format.format->rename_companion == nullptr) {
    return Status();
  }
  SHARDINE_RETURN_IF_ERROR(format.format->rename_companion(
      storage, {.shard = path, .companion = TemporaryName(companion)}));
  return PublishTemporary(storage, companion);
}

// The identity of a file, which it keeps under another name and no other file
// has by accident: its size, and the time of its last change or, where renames
// change the time, its digest.
Result<json> IdentityOf(Storage& storage, const std::string& path,
                        const FileInfo& info) {
  if (storage.renames_keep_times()) return json{info.size, info.mtime_ns};
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  DigestingFile digesting(*file);
  SHARDINE_ASSIGN_OR_RETURN(const Digest128 digest, digesting.Finish());
  return json{info.size, digest.ToHex()};
}

// The same of a shard with a sidecar, which has the digest.
Result<json> IdentityOfShard(Storage& storage, const std::string& sidecar,
                             const FileInfo& info) {
  if (storage.renames_keep_times()) return json{info.size, info.mtime_ns};
  SHARDINE_ASSIGN_OR_RETURN(const auto index,
                            ShardIndex::Open(storage, sidecar));
  return json{info.size, index->binding().shard_digest.ToHex()};
}

// OUT/.pack/SHARD.notes has the identity of each file of the shard, by its
// final name.
Status SaveNote(const OutputFolder& output, const FormatAndLayout& format,
                const StagedName& name) {
  Storage& storage = output.storage();
  const std::string staged =
      JoinPath(StagingFolder(output.path()), name.staged);
  const std::vector<std::string> from = FilesOf(staged, format);
  const std::vector<std::string> to = FilesOf(name.final, format);
  json files = json::object();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto info = storage.Stat(from[i]);
    // Not every shard has entry points.
    if (info.status().code() == Code::kNotFound) continue;
    if (!info.ok()) return info.status();
    SHARDINE_ASSIGN_OR_RETURN(files[EscapeBytes(to[i])],
                              i == 0
                                  ? IdentityOfShard(storage, from.back(), *info)
                                  : IdentityOf(storage, from[i], *info));
  }
  const json note = {{"files", std::move(files)}};
  return WriteFileAtomically(storage, ShardNotesPath(output, name.final),
                             AsBytes(note.dump() + "\n"));
}

// The files of a note by name; an empty object where it cannot be read or says
// nothing of files, so that none is taken for ours.
Result<json> ReadNote(const OutputFolder& output, const std::string& shard) {
  auto text =
      ReadFile(output.storage(), ShardNotesPath(output, shard), kMaxShardNotes);
  if (text.status().code() == Code::kIo) return std::move(text).status();
  json note = text.ok() ? json::parse(*text, nullptr, false) : json();
  if (!note.is_object() || !note.contains("files")) return json::object();
  json files = std::move(note["files"]);
  return files.is_object() ? files : json::object();
}

// A call that failed may have moved the shard, but not all beside it.
Result<bool> Waits(const OutputFolder& output, const FormatAndLayout& format,
                   const StagedName& name) {
  const auto shard = output.storage().Stat(
      FilesOf(JoinPath(StagingFolder(output.path()), name.staged), format)[0]);
  if (shard.status().code() == Code::kNotFound) return false;
  if (!shard.ok()) return shard.status();
  return true;
}

Status MoveShard(const OutputFolder& output, const FormatAndLayout& format,
                 const StagedName& name) {
  Storage& storage = output.storage();
  const std::vector<std::string> from =
      FilesOf(JoinPath(StagingFolder(output.path()), name.staged), format);
  const std::vector<std::string> to =
      FilesOf(output.PathOf(name.final), format);
  SHARDINE_ASSIGN_OR_RETURN(const bool waits, Waits(output, format, name));
  if (waits) {
    SHARDINE_RETURN_IF_ERROR(PlaceShard(output, format, from[0], name.final));
  }
  for (std::size_t i = 1; i < from.size(); ++i) {
    if (storage.Stat(from[i]).status().code() == Code::kNotFound) continue;
    SHARDINE_RETURN_IF_ERROR(storage.RenameNew(from[i], to[i]));
  }
  return Status();
}

// A foreign file never gives way to a shard.
Status RefuseTaken(const OutputFolder& output, const FormatAndLayout& format,
                   const std::vector<StagedName>& names) {
  for (const StagedName& name : names) {
    SHARDINE_ASSIGN_OR_RETURN(const bool waits, Waits(output, format, name));
    if (!waits) continue;
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

// Removes the files of a noted shard that are those noted; adds others to
// `foreign`.
Status RemoveNoted(const OutputFolder& output, const FormatAndLayout& format,
                   const std::string& shard,
                   std::vector<std::string>& foreign) {
  SHARDINE_ASSIGN_OR_RETURN(const json files, ReadNote(output, shard));
  for (const std::string& file : FilesOf(shard, format)) {
    const std::string path = output.PathOf(file);
    const auto info = output.storage().Stat(path);
    if (info.status().code() == Code::kNotFound) continue;
    if (!info.ok()) return info.status();
    const auto noted = files.find(EscapeBytes(file));
    bool is_ours = noted != files.end();
    if (is_ours) {
      SHARDINE_ASSIGN_OR_RETURN(const json found,
                                IdentityOf(output.storage(), path, *info));
      is_ours = *noted == found;
    }
    if (is_ours) {
      SHARDINE_RETURN_IF_ERROR(output.Remove(path));
    } else {
      foreign.push_back(path);
    }
  }
  // A folder with foreign files stays.
  if (IsInDirectory(format)) {
    (void)output.storage().Remove(output.PathOf(shard));
  }
  return RemoveShardNotes(output, shard);
}

// With the files in it and in the folders of companions and shards; fine if it
// is absent.
Status RemoveFolder(const OutputFolder& output, const std::string& folder,
                    bool with_folders) {
  const auto entries = output.storage().List(folder);
  if (entries.status().code() == Code::kNotFound) return Status();
  if (!entries.ok()) return entries.status();
  for (const DirEntry& entry : *entries) {
    const std::string path = JoinPath(folder, entry.name);
    if (with_folders && entry.kind == FileKind::kDirectory) {
      SHARDINE_RETURN_IF_ERROR(RemoveFolder(output, path, false));
    } else {
      SHARDINE_RETURN_IF_ERROR(output.Remove(path));
    }
  }
  return output.Remove(folder);
}

Status RemoveStagingFolder(const OutputFolder& output) {
  return RemoveFolder(output, StagingFolder(output.path()), true);
}

}  // namespace

Status MoveStaged(const OutputFolder& output, const FormatAndLayout& format,
                  const std::vector<StagedName>& names) {
  // The names are looked at once more: the folder was empty when the writing
  // began, which may be hours ago.
  SHARDINE_RETURN_IF_ERROR(RefuseTaken(output, format, names));
  const std::string folder = StagingFolder(output.path());
  const std::string companions = output.PathOf(kCompanionFolder);
  SHARDINE_RETURN_IF_ERROR(output.storage().CreateDirectories(companions));
  for (const StagedName& name : names) {
    // An earlier call noted all before it moved the first.
    if (output.storage().Stat(ShardNotesPath(output, name.final)).ok()) {
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(
        RenameCompanion(output.storage(), JoinPath(folder, name.staged),
                        output.PathOf(name.final), format));
    // All notes are there before the first file moves. After a kill in between,
    // the next run finds in them which files of OUT are unfinished work.
    SHARDINE_RETURN_IF_ERROR(SaveNote(output, format, name));
  }
  for (const StagedName& name : names) {
    SHARDINE_RETURN_IF_ERROR(MoveShard(output, format, name));
  }
  SHARDINE_RETURN_IF_ERROR(output.storage().SyncDirectory(companions));
  return output.storage().SyncDirectory(output.path());
}

Result<std::vector<std::string>> RemoveStaged(const OutputFolder& output,
                                              const FormatAndLayout& format) {
  std::vector<std::string> foreign;
  SHARDINE_ASSIGN_OR_RETURN(const auto noted, ListNotedShards(output));
  for (const std::string& name : noted) {
    // A note is a file that anybody may have put there: no name but a shard's
    // is put together with the folder and removed.
    if (!IsShardName(name, format.format->suffix)) continue;
    SHARDINE_RETURN_IF_ERROR(RemoveNoted(output, format, name, foreign));
  }
  // Best effort: one that holds others' files stays.
  (void)output.storage().Remove(output.PathOf(kCompanionFolder));
  SHARDINE_RETURN_IF_ERROR(RemoveStagingFolder(output));
  return foreign;
}

}  // namespace shardine
