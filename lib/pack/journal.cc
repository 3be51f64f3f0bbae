#include "pack/journal.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "pack/rejects.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

constexpr char kMagic[8] = {'S', 'H', 'D', 'N', 'J', 'N', 'L', '1'};
constexpr std::size_t kHeaderSize = sizeof(kMagic) + 16 + 8;
constexpr std::size_t kRowSize = 16;      // size, mtime
constexpr std::size_t kTrailerSize = 16;  // XXH3-128 of all before
constexpr std::size_t kBlockRows = 1 << 14;

std::string JournalPath(const std::string& output) {
  return WorkPath(output, "journal");
}

std::string Header(const ShardPlan& plan) {
  std::string header(kMagic, sizeof(kMagic));
  AppendLe(plan.digest().low, header);
  AppendLe(plan.digest().high, header);
  AppendLe<std::uint64_t>(plan.source().samples.size(), header);
  return header;
}

void AppendRow(const SourceFacts& facts, std::string& rows) {
  AppendLe(facts.size, rows);
  AppendLe(facts.mtime_ns, rows);
}

Status WriteJournal(Storage& storage, const std::string& output,
                    const ShardPlan& plan) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Create(JournalPath(output)));
  Xxh3Stream hash;
  const auto append = [&](std::string_view text) {
    hash.Update(AsBytes(text));
    return file->Append(AsBytes(text));
  };
  SHARDINE_RETURN_IF_ERROR(append(Header(plan)));
  const SourceList& samples = plan.source().samples;
  std::string rows;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    AppendRow(samples.facts(i), rows);
    if (rows.size() == kBlockRows * kRowSize || i + 1 == samples.size()) {
      SHARDINE_RETURN_IF_ERROR(append(rows));
      rows.clear();
    }
  }
  std::string trailer;
  AppendLe(hash.Digest().low, trailer);
  AppendLe(hash.Digest().high, trailer);
  SHARDINE_RETURN_IF_ERROR(file->Append(AsBytes(trailer)));
  SHARDINE_RETURN_IF_ERROR(file->Sync());
  SHARDINE_RETURN_IF_ERROR(file->Close());
  SHARDINE_RETURN_IF_ERROR(
      storage.SyncDirectory(JoinPath(output, kWorkFolder)));
  return storage.SyncDirectory(output);
}

enum class JournalState { kAbsent, kOfThisPlan };

Status Changed(std::string message, const std::string& path) {
  return Status(Code::kChanged, std::move(message)).At({.path = path});
}

// Compares rows [first, ...) with the plan's samples.
Status CompareRows(ByteView rows, std::size_t first, const ShardPlan& plan) {
  const SourceList& samples = plan.source().samples;
  for (std::size_t i = 0; i * kRowSize < rows.size(); ++i) {
    const std::byte* row = rows.data() + i * kRowSize;
    const SourceFacts facts = samples.facts(first + i);
    if (LoadLe<std::uint64_t>(row) == facts.size &&
        LoadLe<std::int64_t>(row + 8) == facts.mtime_ns) {
      continue;
    }
    return Changed(
        "source changed since this pack began; remove the output folder to "
        "pack anew",
        JoinPath(plan.source().roots[samples.root(first + i)],
                 std::string(samples.key(first + i))));
  }
  return Status();
}

// A journal that is not whole was never in force: no shard is begun before it
// is synced.
Result<bool> JournalIsWhole(const RandomAccessFile& file) {
  if (file.size() < kHeaderSize + kTrailerSize) return false;
  Xxh3Stream hash;
  ByteBuffer block;
  const std::uint64_t end = file.size() - kTrailerSize;
  for (std::uint64_t at = 0; at < end; at += block.size()) {
    block.Resize(std::min<std::uint64_t>(end - at, kBlockRows * kRowSize));
    SHARDINE_RETURN_IF_ERROR(file.ReadExactly(at, block.span()));
    hash.Update(block.view());
  }
  std::byte trailer[kTrailerSize];
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(end, trailer));
  return hash.Digest() == Digest128{LoadLe<std::uint64_t>(trailer),
                                    LoadLe<std::uint64_t>(trailer + 8)};
}

Status CompareJournal(const RandomAccessFile& file, const ShardPlan& plan) {
  const std::string expected = Header(plan);
  ByteBuffer block;
  block.Resize(kHeaderSize);
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(0, block.span()));
  const std::uint64_t samples = plan.source().samples.size();
  if (AsText(block.view()) != expected ||
      file.size() != kHeaderSize + samples * kRowSize + kTrailerSize) {
    return Changed(
        "the unfinished pack in this folder has other sources or options; "
        "repeat its command, or remove the folder",
        file.path());
  }
  for (std::uint64_t first = 0; first < samples; first += kBlockRows) {
    block.Resize(std::min<std::uint64_t>(samples - first, kBlockRows) *
                 kRowSize);
    SHARDINE_RETURN_IF_ERROR(
        file.ReadExactly(kHeaderSize + first * kRowSize, block.span()));
    SHARDINE_RETURN_IF_ERROR(CompareRows(block.view(), first, plan));
  }
  return Status();
}

Result<JournalState> CheckJournal(Storage& storage, const std::string& output,
                                  const ShardPlan& plan) {
  auto file = storage.Open(JournalPath(output));
  if (!file.ok()) {
    if (file.status().code() == Code::kNotFound) return JournalState::kAbsent;
    return std::move(file).status();
  }
  SHARDINE_ASSIGN_OR_RETURN(const bool whole, JournalIsWhole(**file));
  if (!whole) return JournalState::kAbsent;
  SHARDINE_RETURN_IF_ERROR(CompareJournal(**file, plan));
  return JournalState::kOfThisPlan;
}

// Without a journal, whatever lies under the plan's names is not ours.
Status RefuseForeignShards(Storage& storage, const std::string& folder,
                           const ShardPlan& plan) {
  auto entries = storage.List(folder);
  if (entries.status().code() == Code::kNotFound) return Status();
  if (!entries.ok()) return std::move(entries).status();
  std::vector<std::string> names;
  for (DirEntry& entry : *entries) names.push_back(std::move(entry.name));
  std::sort(names.begin(), names.end());
  const auto refuse = [&](const std::string& name) {
    if (!std::binary_search(names.begin(), names.end(), name)) return Status();
    return Changed(
        "is in the way and neither a manifest nor a journal says what it is; "
        "pack into another folder, or remove this one",
        JoinPath(folder, name));
  };
  SHARDINE_RETURN_IF_ERROR(refuse(kRejectedName));
  for (const PlannedShard& shard : plan.shards()) {
    const std::string sidecar = SidecarName(shard.name);
    // What formats call the indexes of their own.
    const std::string stem = shard.name.substr(0, shard.name.rfind('.'));
    for (const std::string& name :
         {shard.name, sidecar, EntryPointName(sidecar), stem + ".idx",
          stem + ".txt"}) {
      SHARDINE_RETURN_IF_ERROR(refuse(name));
    }
  }
  return Status();
}

// What runs keep in OUT/.pack: anything else is not ours to remove.
bool IsWorkFile(const DirEntry& entry) {
  const std::string& name = entry.name;
  if (entry.kind != FileKind::kRegular) return false;
  return name == "journal" || name.ends_with(".rejected") ||
         name.ends_with(".sizes") || name.ends_with(".sdx") ||
         IsTemporaryName(name);
}

std::string FolderIn(const std::string& output, const std::string& folder) {
  return folder.empty() ? output : JoinPath(output, folder);
}

Status RemoveTemporaries(Storage& storage, const std::string& folder) {
  SHARDINE_ASSIGN_OR_RETURN(auto entries, storage.List(folder));
  for (const DirEntry& entry : entries) {
    if (entry.kind != FileKind::kRegular || !IsTemporaryName(entry.name)) {
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(storage.Remove(JoinPath(folder, entry.name)));
  }
  return Status();
}

}  // namespace

Result<Journal> Journal::Begin(Storage& storage, const std::string& output,
                               const ShardPlan& plan,
                               const std::vector<std::string>& folders) {
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::Take(storage, output));
  Journal journal(std::move(lock));
  SHARDINE_ASSIGN_OR_RETURN(const JournalState state,
                            CheckJournal(storage, output, plan));
  for (const std::string& folder : folders) {
    if (state == JournalState::kOfThisPlan) break;
    SHARDINE_RETURN_IF_ERROR(
        RefuseForeignShards(storage, FolderIn(output, folder), plan));
  }
  SHARDINE_RETURN_IF_ERROR(RemoveTemporaries(storage, output));
  if (state == JournalState::kAbsent) {
    SHARDINE_RETURN_IF_ERROR(WriteJournal(storage, output, plan));
  } else {
    SHARDINE_RETURN_IF_ERROR(
        RemoveTemporaries(storage, JoinPath(output, kWorkFolder)));
  }
  for (const std::string& folder : folders) {
    const std::string path = FolderIn(output, folder);
    if (path == output) continue;
    SHARDINE_RETURN_IF_ERROR(storage.CreateDirectories(path));
    SHARDINE_RETURN_IF_ERROR(RemoveTemporaries(storage, path));
  }
  journal.resumed_ = state == JournalState::kOfThisPlan;
  return journal;
}

Status Journal::RemoveFolder(Storage& storage, const std::string& output) {
  const std::string folder = JoinPath(output, kWorkFolder);
  auto entries = storage.List(folder);
  if (!entries.ok()) {
    return entries.status().code() == Code::kNotFound
               ? Status()
               : std::move(entries).status();
  }
  for (const DirEntry& entry : *entries) {
    if (!IsWorkFile(entry)) continue;
    const Status removed = storage.Remove(JoinPath(folder, entry.name));
    if (!removed.ok() && removed.code() != Code::kNotFound) return removed;
  }
  // Whoever holds the lock, this run or another, removes it at the end.
  auto lock = FolderLock::Take(storage, output);
  if (lock.status().code() == Code::kAlreadyExists) return Status();
  if (!lock.ok()) return std::move(lock).status();
  return lock->Release();
}

}  // namespace shardine
