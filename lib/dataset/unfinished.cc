#include "dataset/unfinished.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include "dataset/manifest_check.h"
#include "io/folder_lock.h"

namespace shardine {
namespace {

// What the names of finished shards tell: "train-00000-of-00008.rec.sdx".
struct Found {
  std::uint64_t finished = 0;
  std::map<std::string, std::uint64_t> of;  // by split
};

// 0 for names of another form.
std::uint64_t CountInName(std::string_view name, std::string& split) {
  constexpr std::string_view kOf = "-of-";
  constexpr std::size_t kDigits = 5;
  const std::size_t of = name.rfind(kOf);
  if (of == name.npos || of < kDigits + 1) return 0;
  const std::string_view digits = name.substr(of + kOf.size(), kDigits);
  if (digits.size() < kDigits ||
      digits.find_first_not_of("0123456789") != digits.npos) {
    return 0;
  }
  split = name.substr(0, of - kDigits - 1);
  return std::stoull(std::string(digits));
}

// A shard is finished when its sidecar is there.
Found FindShards(ReadableStorage& storage, const std::string& folder) {
  Found found;
  const auto entries = storage.List(folder);
  if (!entries.ok()) return found;
  for (const DirEntry& entry : *entries) {
    if (entry.kind != FileKind::kRegular || entry.name.starts_with('.') ||
        !entry.name.ends_with(kSidecarSuffix)) {
      continue;
    }
    ++found.finished;
    std::string split;
    const std::uint64_t count = CountInName(entry.name, split);
    if (count > 0) found.of[split] = count;
  }
  return found;
}

// "3 of 8 shards are finished", of the splits that have begun.
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
  if (storage.Stat(StagingFolder(directory)).ok()) {
    return "not a dataset yet: a program is writing samples into this folder, "
           "or was interrupted; nothing of it can be kept, and the same "
           "program begins from the start";
  }
  const Found found = FindShards(storage, directory);
  const std::string journal = JoinPath(JoinPath(directory, ".pack"), "journal");
  if (storage.Stat(journal).ok()) {
    return "not a dataset yet: a pack into this folder is at work or was "
           "interrupted; " +
           CountText(found) + ", and the same command goes on";
  }
  if (found.finished == 0) return {};
  return "not a dataset: it has no manifest, only shards of a pack that is not "
         "finished (" +
         CountText(found) +
         "); the same command goes on where it left its folder .pack, else "
         "shardine index SHARD... OUT makes a dataset of them";
}

}  // namespace shardine
