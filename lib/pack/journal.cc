#include "pack/journal.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "dataset/ignored.h"
#include "dataset/journal_entry.h"
#include "dataset/own_path.h"
#include "dataset/rejects.h"
#include "dataset/unfinished.h"
#include "io/atomic_file.h"
#include "shard/companion_folder.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"
#include "shardine/provenance.h"
#include "source/shard_plan.h"

namespace shardine {
namespace {

JournalEntry EntryOf(const JournalWork& work) {
  return {work.made, work.plan_digest, work.shard_counts, {}};
}

Status WriteJournal(const OutputFolder& output, const JournalWork& work) {
  Storage& storage = output.storage();
  // Written under its own name: a journal that is cut off has no digest and
  // counts as absent, and nothing was begun under it. Both folders are synced,
  // since no run could claim shards without a journal after a power cut.
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Create(Journal::PathIn(output)));
  SHARDINE_RETURN_IF_ERROR(file->Append(AsBytes(JournalText(EntryOf(work)))));
  SHARDINE_RETURN_IF_ERROR(file->Sync());
  SHARDINE_RETURN_IF_ERROR(file->Close());
  SHARDINE_RETURN_IF_ERROR(storage.SyncDirectory(output.PathOf(kWorkFolder)));
  return storage.SyncDirectory(output.path());
}

Status Changed(std::string message, const std::string& path) {
  return Status(Code::kChanged, std::move(message)).At({.path = path});
}

// The journal of this work; nullopt where there is none.
Result<std::optional<JournalEntry>> FindJournal(const OutputFolder& output,
                                                const JournalWork& work) {
  const std::string path = Journal::PathIn(output);
  const auto text = ReadJournalText(output.storage(), output.path());
  if (!text.ok()) {
    if (text.status().code() != Code::kNotFound) return text.status();
    return std::optional<JournalEntry>();
  }
  if (!IsLikeJournal(*text)) {
    return Status(Code::kAlreadyExists,
                  "is in the way and no journal of an unfinished run; pack "
                  "into another folder, or remove it")
        .At({.path = path});
  }
  std::optional<JournalEntry> entry = ParseJournal(*text);
  // A damaged journal claims nothing. Files under the plan's names are then
  // refused as foreign, rather than taken up on a guess.
  if (!entry || Journal::IsOf(*entry, work)) return entry;
  return Changed(
      "the unfinished work in this folder is: " + ToString(entry->made) +
          "; this is: " + ToString(work.made) +
          "; repeat that command, or remove the folder",
      path);
}

// Without a journal, whatever lies under the plan's names is not ours.
Status RefuseForeignShards(const OutputFolder& folder,
                           const std::vector<std::string>& shards) {
  std::vector<std::string> names;
  for (const std::string below : {"", kCompanionFolder}) {
    const auto entries = folder.storage().List(folder.PathOf(below));
    if (entries.status().code() == Code::kNotFound) break;
    if (!entries.ok()) return entries.status();
    for (const DirEntry& entry : *entries) {
      names.push_back(below.empty() ? entry.name : JoinPath(below, entry.name));
    }
  }
  std::sort(names.begin(), names.end());
  const auto refuse = [&](const std::string& name) {
    if (!std::binary_search(names.begin(), names.end(), name)) return Status();
    return Changed(
        "is in the way and neither a manifest nor a journal says what it is; "
        "pack into another folder, or remove this one",
        folder.PathOf(name));
  };
  SHARDINE_RETURN_IF_ERROR(refuse(kIgnoredName));
  SHARDINE_RETURN_IF_ERROR(refuse(kRejectedName));
  for (const std::string& shard : shards) {
    const std::string sidecar = SidecarName(shard);
    // Formats name the indexes of their own by the stem. A split may have dots
    // in its name, and a shard no suffix.
    const std::string stem =
        IsShardName(shard, "") ? shard : shard.substr(0, shard.rfind('.'));
    for (const std::string& name :
         {shard, sidecar, EntryPointName(sidecar), stem + ".idx",
          InCompanionFolder(stem + ".idx"), stem + ".txt"}) {
      SHARDINE_RETURN_IF_ERROR(refuse(name));
    }
  }
  return Status();
}

Status RefuseForeignShards(const OutputFolder& output,
                           const std::vector<std::string>& folders,
                           const JournalWork& work) {
  for (const std::string& folder : folders) {
    SHARDINE_RETURN_IF_ERROR(
        RefuseForeignShards(output.Below(folder), work.shards));
  }
  return Status();
}

// Files that runs keep in OUT/.pack beside the journal: anything else is not
// ours to remove.
bool IsWorkFile(const DirEntry& entry) {
  const std::string& name = entry.name;
  if (entry.kind != FileKind::kRegular) return false;
  return name == "bad.jsonl" || name.ends_with(".rejected") ||
         name.ends_with(".notes") || name.ends_with(".sdx") ||
         name.ends_with(".done") || name.ends_with(".running") ||
         name.ends_with(".failed") || IsTemporaryName(name);
}

// The writer of a file in it removes a folder that is not empty.
Status RemoveIfEmpty(const OutputFolder& output, const std::string& folder) {
  Status removed = output.Remove(folder);
  const bool in_use =
      removed.system_error() == ENOTEMPTY || removed.system_error() == EEXIST;
  return in_use ? Status() : removed;
}

// The folder with all folders below it, as far as no file is in them.
Status RemoveEmptyFolders(const OutputFolder& output, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto folders, output.storage().List(path));
  for (const DirEntry& folder : folders) {
    if (folder.kind != FileKind::kDirectory) continue;
    SHARDINE_RETURN_IF_ERROR(
        RemoveEmptyFolders(output, JoinPath(path, folder.name)));
  }
  return RemoveIfEmpty(output, path);
}

// Where shards were staged that have their names by now: empty then, but for
// the folders of variants, of companions, and of shards that are folders.
Status RemoveEmptyStaging(const OutputFolder& output, const DirEntry& entry) {
  const std::string path = output.WorkPath(entry.name);
  const bool is_staging = path == StagingFolder(output.path()) ||
                          path == output.WorkPath(kAgainFolder);
  if (entry.kind != FileKind::kDirectory || !is_staging) return Status();
  return RemoveEmptyFolders(output, path);
}

}  // namespace

JournalWork::JournalWork(const DatasetPlan& planned)
    : made(planned.made), plan_digest(planned.plan.digest()) {
  const std::vector<std::string>& splits = planned.plan.source().splits;
  for (const PlannedShard& shard : planned.plan.shards()) {
    shards.push_back(shard.name);
    ++shard_counts[splits[shard.split]];
  }
}

std::string Journal::PathIn(const OutputFolder& output) {
  return output.WorkPath(kJournalName);
}

// Each shard's own digests tell whether it still holds. The same plan may be
// written in other words.
bool Journal::IsOf(const JournalEntry& entry, const JournalWork& work) {
  return entry.made == work.made || entry.plan_digest == work.plan_digest;
}

Status Journal::Check(const OutputFolder& output, const JournalWork& work,
                      const std::vector<std::string>& folders) {
  SHARDINE_ASSIGN_OR_RETURN(const auto entry, FindJournal(output, work));
  return entry ? Status() : RefuseForeignShards(output, folders, work);
}

Result<Journal> Journal::Begin(const OutputFolder& output,
                               const JournalWork& work,
                               const std::vector<std::string>& folders) {
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, output.Lock());
  Journal journal(std::move(lock));
  SHARDINE_ASSIGN_OR_RETURN(auto entry, FindJournal(output, work));
  if (!entry) {
    SHARDINE_RETURN_IF_ERROR(RefuseForeignShards(output, folders, work));
  }
  // Only with the lock, and only now: refusing comes first, so that nothing is
  // removed from a folder of another command.
  SHARDINE_RETURN_IF_ERROR(RemoveTemporaries(output));
  if (!entry) {
    SHARDINE_RETURN_IF_ERROR(WriteJournal(output, work));
  } else {
    SHARDINE_RETURN_IF_ERROR(output.Below(kWorkFolder).RemoveTemporaries());
  }
  if (entry && entry->shards != work.shard_counts) {
    // The sources changed, and the number of shards with them. Replaced whole:
    // a kill leaves one journal or the other, and both are of this command.
    entry->shards = work.shard_counts;
    SHARDINE_RETURN_IF_ERROR(WriteFileAtomically(
        output.storage(), PathIn(output), AsBytes(JournalText(*entry))));
  }
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    const OutputFolder below = output.Below(folder);
    SHARDINE_RETURN_IF_ERROR(below.storage().CreateDirectories(below.path()));
    SHARDINE_RETURN_IF_ERROR(RemoveTemporaries(below));
  }
  journal.resumed_ = entry.has_value();
  return journal;
}

// A link in the place of the companions' folder leads to files that must not be
// removed.
Status Journal::RemoveTemporaries(const OutputFolder& folder) {
  SHARDINE_RETURN_IF_ERROR(
      CheckOwnFolder(folder.storage(), folder.path(), kCompanionFolder));
  SHARDINE_RETURN_IF_ERROR(folder.RemoveTemporaries());
  const Status removed = folder.Below(kCompanionFolder).RemoveTemporaries();
  return removed.code() == Code::kNotFound ? Status() : removed;
}

Status Journal::RemoveFolder(const OutputFolder& output) {
  auto entries = output.storage().List(output.PathOf(kWorkFolder));
  if (!entries.ok()) {
    return entries.status().code() == Code::kNotFound
               ? Status()
               : std::move(entries).status();
  }
  for (const DirEntry& entry : *entries) {
    SHARDINE_RETURN_IF_ERROR(RemoveEmptyStaging(output, entry));
    if (!IsWorkFile(entry)) continue;
    SHARDINE_RETURN_IF_ERROR(output.Remove(output.WorkPath(entry.name)));
  }
  // The journal is last: while it is there a run that comes after a kill knows
  // whose the rest is.
  SHARDINE_RETURN_IF_ERROR(output.Remove(PathIn(output)));
  // Whoever holds the lock, this run or another, removes it at the end.
  auto lock = output.Lock();
  if (lock.status().code() == Code::kAlreadyExists) return Status();
  if (!lock.ok()) return std::move(lock).status();
  return lock->Release();
}

}  // namespace shardine
