#include "dataset/said_counts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "shardine/escape.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxCountFile = std::uint64_t{16} << 20;

// A list of millions would ask a server for each of them.
constexpr std::uint64_t kMostLooks = 10'000;

using Counts = std::map<std::string, std::uint64_t>;  // by the shard's path

std::string Samples(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " sample" : " samples");
}

// Files that were copied from a server are listed by their old address.
std::string PathIn(const std::string& folder, const std::string& said) {
  const bool is_elsewhere = said.starts_with('/') || !SchemeOf(said).empty();
  return JoinPath(folder, is_elsewhere ? FileNameOf(said) : said);
}

// One count file against the shards that there are.
class CountCheck {
 public:
  CountCheck(ReadableStorage& storage, const std::string& folder,
             const Counts& counts, CountedScope scope)
      : storage_(storage), folder_(folder), counts_(counts), scope_(scope) {}

  Status Check(const std::vector<SaidSplit>& said) {
    for (const SaidSplit& split : said) CheckSplit(split);
    if (wrong_ == 0) return Status();
    std::string message = first_;
    if (wrong_ > 1) {
      message += "; " + std::to_string(wrong_ - 1) +
                 (wrong_ == 2 ? " other entry of it is wrong, too"
                              : " other entries of it are wrong, too");
    }
    return Status(Code::kCorrupt, std::move(message));
  }

 private:
  void CheckSplit(const SaidSplit& split) {
    const std::uint64_t wrong_before = wrong_;
    std::uint64_t there = 0;
    std::size_t found = 0;
    for (const SaidSplit::Shard& shard : split.shards) {
      const auto count = counts_.find(PathIn(folder_, shard.path));
      if (count == counts_.end()) continue;
      ++found;
      there += count->second;
      if (shard.samples && *shard.samples != count->second) {
        AddWrong("says that " + EscapeBytes(shard.path) + " has " +
                 Samples(*shard.samples) + " where there are " +
                 std::to_string(count->second));
      }
    }
    if (found == 0) return;
    if (found < split.shards.size()) {
      if (scope_ == CountedScope::kDataset) CheckSplitExists(split);
    } else if (wrong_ == wrong_before && split.samples &&
               *split.samples != there) {
      AddWrong("says that the split " + EscapeBytes(split.name) + " has " +
               Samples(*split.samples) + " where there are " +
               std::to_string(there));
    }
  }

  void CheckSplitExists(const SaidSplit& split) {
    for (const SaidSplit::Shard& shard : split.shards) {
      const std::string path = PathIn(folder_, shard.path);
      if (counts_.contains(path)) continue;
      if (looks_++ == kMostLooks) return;
      if (storage_.Stat(path).status().code() != Code::kNotFound) continue;
      AddWrong("lists " + EscapeBytes(shard.path) + ", which does not exist");
    }
  }

  void AddWrong(std::string what) {
    if (++wrong_ == 1) first_ = std::move(what);
  }

  ReadableStorage& storage_;
  const std::string& folder_;
  const Counts& counts_;
  const CountedScope scope_;
  std::uint64_t wrong_ = 0;
  std::uint64_t looks_ = 0;
  std::string first_;
};

}  // namespace

std::vector<Status> CheckSaidCounts(ReadableStorage& storage,
                                    const Format& format,
                                    std::span<const CountedShard> shards,
                                    CountedScope scope) {
  Counts counts;
  std::set<std::string> folders;
  for (const CountedShard& shard : shards) {
    counts.emplace(shard.path, shard.samples);
    folders.insert(DirectoryOf(shard.path));
  }
  const auto check = [&](const std::string& folder, const CountFile& file,
                         const std::string& path) -> Status {
    SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                              ReadFile(storage, path, kMaxCountFile));
    SHARDINE_ASSIGN_OR_RETURN(const auto said, file.read(text));
    return CountCheck(storage, folder, counts, scope).Check(said);
  };
  std::vector<std::pair<std::string, const CountFile*>> files;
  for (const std::string& folder : folders) {
    for (const CountFile& file : format.count_files) {
      files.emplace_back(folder, &file);
    }
  }
  std::vector<Status> found(files.size());
  const auto look = [&](std::size_t i) {
    const auto& [folder, file] = files[i];
    const std::string path = JoinPath(folder, std::string(file->name));
    // Servers refuse names that they do not have in many ways.
    if (!storage.Stat(path).ok()) return Status();
    found[i] = check(folder, *file, path).At({.path = path});
    return Status();
  };
  const std::string& first = files.empty() ? "" : files[0].first;
  std::vector<Status> statuses = {
      ParallelFor(files.size(), ServerThreads(first, 1, kServerBlocks), look)};
  std::ranges::move(found, std::back_inserter(statuses));
  std::erase_if(statuses, [](const Status& status) { return status.ok(); });
  return statuses;
}

std::vector<std::string> SaidCountWarnings(
    ReadableStorage& storage, const Format& format,
    std::span<const CountedShard> shards) {
  std::vector<std::string> warnings;
  for (const Status& status :
       CheckSaidCounts(storage, format, shards, CountedScope::kDataset)) {
    warnings.push_back(status.ToString() +
                       (status.code() == Code::kCorrupt
                            ? ""
                            : "; its counts are not compared"));
  }
  return warnings;
}

}  // namespace shardine
