#include "dataset/unfinished.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "dataset/journal_entry.h"
#include "io/folder_lock.h"
#include "shard/companion_folder.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

// How many shards there are to be, by split.
using ShardCounts = std::map<std::string, std::uint64_t>;

// The folder itself, or the one whose size it is.
std::string WholeOf(const std::string& directory) {
  const std::string above = DirectoryOf(directory);
  return FileNameOf(above) == kSizesFolder ? DirectoryOf(above) : directory;
}

// Shards of the pack at work in the folder, or in the folder whose size it is;
// empty where no journal says it.
ShardCounts PlannedShards(ReadableStorage& storage,
                          const std::string& directory) {
  const auto text = ReadJournalText(storage, WholeOf(directory));
  if (!text.ok()) return {};
  const auto entry = ParseJournal(*text);
  return entry ? entry->shards : ShardCounts();
}

// The facts in a finished shard's name: "train-00000-of-00008.rec.sdx".
struct CountedName {
  std::string split;
  std::uint64_t count = 0;
};

// nullopt for names of another form.
std::optional<CountedName> ParseName(std::string_view name) {
  constexpr std::string_view kOf = "-of-";
  constexpr std::size_t kDigits = 5;
  const std::size_t of = name.rfind(kOf);
  if (of == name.npos || of < kDigits + 1) return std::nullopt;
  const std::string_view digits = name.substr(of + kOf.size(), kDigits);
  if (digits.size() < kDigits ||
      digits.find_first_not_of("0123456789") != digits.npos) {
    return std::nullopt;
  }
  return CountedName{std::string(name.substr(0, of - kDigits - 1)),
                     std::stoull(std::string(digits))};
}

struct Found {
  std::uint64_t finished = 0;
  ShardCounts of;
};

// Adds the shards in `directory` whose sidecars are in `folder`.
void AddShards(ReadableStorage& storage, const std::string& directory,
               const std::string& folder, const ShardCounts& planned,
               Found& found) {
  const auto entries = storage.List(folder);
  if (!entries.ok()) return;
  for (const DirEntry& entry : *entries) {
    if (entry.kind != FileKind::kRegular || entry.name.starts_with('.') ||
        !entry.name.ends_with(kSidecarSuffix)) {
      continue;
    }
    const std::string shard =
        entry.name.substr(0, entry.name.size() - kSidecarSuffix.size());
    if (!storage.Stat(JoinPath(directory, shard)).ok()) continue;
    const auto named = ParseName(entry.name);
    if (planned.empty()) {
      ++found.finished;
      if (named) found.of[named->split] = named->count;
    } else if (named) {
      const auto split = planned.find(named->split);
      const bool ours = split != planned.end() && split->second == named->count;
      found.finished += ours ? 1 : 0;
    }
  }
}

// A shard that is there is finished when its sidecar is, too; earlier versions
// put it beside the shard. With `planned` only shards of that plan count:
// sources that changed may have left others. Without, their names are all that
// tells how many there are to be.
Found FindShards(ReadableStorage& storage, const std::string& folder,
                 const ShardCounts& planned) {
  Found found{.of = planned};
  const std::string companions = JoinPath(folder, kCompanionFolder);
  AddShards(storage, folder, companions, planned, found);
  AddShards(storage, folder, folder, planned, found);
  return found;
}

// "3 of 8 shards are finished".
std::string CountText(const Found& found) {
  std::uint64_t all = 0;
  for (const auto& [split, count] : found.of) all += count;
  if (all <= found.finished) {
    return std::to_string(found.finished) + (found.finished == 1
                                                 ? " shard is finished"
                                                 : " shards are finished");
  }
  return std::to_string(found.finished) + " of " + std::to_string(all) +
         (all == 1 ? " shard is finished" : " shards are finished");
}

}  // namespace

std::string StagingFolder(const std::string& output) {
  return WorkPath(output, "new");
}

std::string DescribeUnfinished(ReadableStorage& storage,
                               const std::string& directory) {
  if (storage.Stat(WorkPath(WholeOf(directory), kReplacementName)).ok()) {
    return "not a dataset now: one is being replaced by another here, or the "
           "work was interrupted; the same command, told to replace it, "
           "finishes";
  }
  if (storage.Stat(StagingFolder(directory)).ok()) {
    return "not a dataset yet: a program is writing samples into this folder, "
           "or was interrupted; nothing of it can be kept, and the same "
           "program begins from the start";
  }
  if (storage.Stat(JoinPath(directory, kPartsFolder)).ok()) {
    return "not a dataset yet: it holds parts of one; when programs have "
           "written all of them, they are to be joined";
  }
  const Found found =
      FindShards(storage, directory, PlannedShards(storage, directory));
  if (storage.Stat(WorkPath(directory, kJournalName)).ok()) {
    return "not a dataset yet: a pack into this folder is at work or was "
           "interrupted; " +
           CountText(found) + ", and the same command goes on";
  }
  if (found.finished == 0) return {};
  return "not a dataset: it has no manifest, only shards of a pack that is not "
         "finished (" +
         CountText(found) +
         "); the same command goes on where it left its folder .pack";
}

}  // namespace shardine
