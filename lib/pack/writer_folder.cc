#include "pack/writer_folder.h"

#include <algorithm>
#include <string>

#include "base/status_macros.h"
#include "dataset/journal_entry.h"
#include "dataset/manifest.h"
#include "dataset/unfinished.h"
#include "pack/journal.h"
#include "pack/provenance_of.h"
#include "shard/companion_folder.h"

namespace shardine {

Status CheckFolder(const OutputFolder& folder, bool may_have_shards,
                   const std::vector<std::string>& expected) {
  Storage& storage = folder.storage();
  const std::string& output = folder.path();
  const auto info = storage.Stat(output);
  if (info.status().code() == Code::kNotFound) return Status();
  if (!info.ok()) return info.status();
  if (info->kind != FileKind::kDirectory) {
    return Status(Code::kInvalidArgument, "is there and is not a folder")
        .At({.path = output});
  }
  SHARDINE_ASSIGN_OR_RETURN(auto entries, storage.List(output));
  std::erase_if(entries, [&](const DirEntry& entry) {
    return std::ranges::find(expected, entry.name) != expected.end();
  });
  // An interrupted run leaves this folder when its companions are gone.
  const auto companions = storage.List(folder.PathOf(kCompanionFolder));
  if (companions.ok() && companions->empty()) {
    std::erase_if(entries, [](const DirEntry& entry) {
      return entry.name == kCompanionFolder;
    });
  }
  const auto has = [&](const std::string& name) {
    return std::ranges::find(entries, name, &DirEntry::name) != entries.end();
  };
  if (has(kManifestName)) {
    return Status(Code::kAlreadyExists,
                  "already holds a dataset; write into another folder, or "
                  "remove it")
        .At({.path = output});
  }
  if (may_have_shards || entries.size() == (has(kWorkFolder) ? 1 : 0)) {
    return Status();
  }
  return Status(Code::kAlreadyExists,
                "holds files already; samples are written into a folder that "
                "is new or empty")
      .At({.path = output});
}

Status ClearFinished(const OutputFolder& output) {
  Storage& storage = output.storage();
  if (!storage.Stat(output.PathOf(kManifestName)).ok() ||
      !storage.Stat(output.PathOf(kWorkFolder)).ok()) {
    return Status();
  }
  // A writer that is at work clears away itself. A folder without locks is left
  // as it is, and refused for its dataset.
  const auto lock = output.Lock();
  if (!lock.ok()) return Status();
  const auto text = ReadJournalText(storage, output.path());
  const auto entry = text.ok() ? ParseJournal(*text) : std::nullopt;
  if (!entry || entry->made.command != kWriteCommand) return Status();
  return Journal::RemoveFolder(output);
}

}  // namespace shardine
