#include "dataset/dataset_samples.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_format.h"
#include "dataset/digest_check.h"
#include "dataset/index_walk.h"
#include "dataset/server_cache.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "source/read_source.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

// Each takes two file descriptors; a process has at least 1,024.
constexpr std::size_t kMaxOpen = 128;

// A server is asked for many of them at a time.
Result<std::vector<SourceFacts>> FactsOf(
    ReadableStorage& storage, const std::vector<std::string>& paths) {
  std::vector<SourceFacts> facts(paths.size());
  const bool waits = !paths.empty() && !SchemeOf(paths.front()).empty();
  SHARDINE_RETURN_IF_ERROR(ParallelFor(
      paths.size(), waits ? kServerBlocks : 1, [&](std::size_t i) -> Status {
        SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage.Stat(paths[i]));
        facts[i] = {info.size, info.mtime_ns};
        return Status();
      }));
  return facts;
}

Status OtherShards(const std::string& path) {
  return Status(Code::kChanged, "has other shards than it had")
      .At({.path = path});
}

}  // namespace

DatasetSamples::DatasetSamples(ReadableStorage& storage,
                               const FormatRegistry& formats)
    : storage_(storage),
      formats_(formats),
      pool_(kMaxOpen, [this](std::size_t shard) { return OpenShard(shard); }) {}

Status DatasetSamples::Add(const std::string& directory) {
  SHARDINE_ASSIGN_OR_RETURN(auto reader,
                            DatasetReader::Open(storage_, directory));
  SHARDINE_RETURN_IF_ERROR(UseServerCache(*reader));
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                            FormatOf(*reader, formats_));
  datasets_.push_back(
      {reader->directory(), nullptr, std::move(reader), std::move(format)});
  return Status();
}

Status DatasetSamples::Add(std::unique_ptr<ScannedShards> scanned,
                           const std::string& path) {
  // Paths in its manifest are those that were given, for a storage of its own:
  // there is no folder that they would be relative to.
  auto reader =
      DatasetReader::Of(scanned->sidecars, "", std::move(scanned->manifest));
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                            FormatOf(*reader, formats_));
  datasets_.push_back(
      {path, std::move(scanned), std::move(reader), std::move(format)});
  return Status();
}

Status DatasetSamples::List(const Visit& visit) {
  std::uint64_t samples = 0;
  std::uint64_t seen = 0;
  const auto list = [&](bool taken) {
    if (!taken && !numbers_) {
      numbers_.emplace(static_cast<std::size_t>(seen));
      std::iota(numbers_->begin(), numbers_->end(), std::uint64_t{0});
    }
    if (taken && numbers_) numbers_->push_back(seen);
    ++seen;
  };
  for (std::size_t number = 0; number < datasets_.size(); ++number) {
    const DatasetReader& reader = dataset(number);
    DigestCheck check(reader);
    std::vector<std::string> paths;
    for (const DatasetReader::ShardRef& ref : reader.shards()) {
      paths.push_back(reader.ShardPath(ref));
    }
    SHARDINE_ASSIGN_OR_RETURN(const auto facts, FactsOf(storage_, paths));
    const auto list_shard = [&](const DatasetReader::ShardRef& ref,
                                const ShardIndex& index) -> Result<bool> {
      SHARDINE_RETURN_IF_ERROR(check.Begin(*ref.split));
      const auto at = static_cast<std::size_t>(&ref - reader.shards().data());
      Shard& shard =
          shards_.emplace_back(Shard{number, &ref, samples, false, facts[at]});
      samples += index.size();
      SHARDINE_RETURN_IF_ERROR(
          WalkIndex(index,
                    [&](std::uint64_t, const IndexEntry& entry,
                        const std::string& key) -> Status {
                      if (!HasExtents(entry)) shard.needs_scan = true;
                      check.Add(entry, key);
                      SHARDINE_ASSIGN_OR_RETURN(const bool taken,
                                                visit(shard, entry, key));
                      list(taken);
                      return Status();
                    }));
      return true;
    };
    SHARDINE_RETURN_IF_ERROR(reader.ForEachIndex(reader.shards(), list_shard));
    SHARDINE_RETURN_IF_ERROR(check.End());
  }
  return Status();
}

Status DatasetSamples::Take(const std::vector<Listed>& listed,
                            std::vector<std::uint64_t> numbers) {
  std::uint64_t samples = 0;
  for (std::size_t number = 0; number < datasets_.size(); ++number) {
    for (const DatasetReader::ShardRef& ref : dataset(number).shards()) {
      if (shards_.size() == listed.size()) return OtherShards(path(0));
      const Listed& found = listed[shards_.size()];
      // Whether a shard needs a scan matters where it is read.
      shards_.push_back({number, &ref, samples, false, found.shard});
      samples += ref.shard->samples;
    }
  }
  if (shards_.size() != listed.size()) return OtherShards(path(0));
  for (const std::uint64_t number : numbers) {
    if (number >= samples) return OtherShards(path(0));
  }
  numbers_ = std::move(numbers);
  std::set<std::size_t> looked_at;
  for (std::uint64_t i = 0; i < numbers_->size(); ++i) {
    const std::size_t shard = Find(i).shard;
    if (!looked_at.insert(shard).second) continue;
    shards_[shard].needs_scan = listed[shard].needs_scan;
  }
  SHARDINE_RETURN_IF_ERROR(CheckShards(looked_at));
  const std::vector<std::size_t> all(looked_at.begin(), looked_at.end());
  const auto check = [&](std::size_t i) {
    return CheckUnchanged(storage_, SidecarPath(all[i]),
                          listed[all[i]].sidecar);
  };
  return ParallelFor(all.size(), is_remote() ? kServerBlocks : 1, check);
}

Result<std::vector<DatasetSamples::Listed>> DatasetSamples::ListedShards()
    const {
  std::vector<std::string> paths;
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    paths.push_back(SidecarPath(shard));
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto sidecars, FactsOf(storage_, paths));
  std::vector<Listed> listed;
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    listed.push_back(
        {shards_[shard].facts, sidecars[shard], shards_[shard].needs_scan});
  }
  return listed;
}

bool DatasetSamples::needs_scan() const {
  return std::ranges::any_of(shards_, &Shard::needs_scan);
}

bool DatasetSamples::is_remote() const { return !SchemeOf(path(0)).empty(); }

DatasetSamples::Location DatasetSamples::Find(std::uint64_t sample) const {
  sample = NumberOf(sample);
  // Where several shards begin there, all but the last are empty.
  const auto behind = std::ranges::upper_bound(
      shards_, sample, std::ranges::less(), &Shard::first);
  const auto shard = static_cast<std::size_t>(behind - shards_.begin()) - 1;
  return {shard, sample - shards_[shard].first};
}

Result<PooledShard> DatasetSamples::OpenShard(std::size_t shard) const {
  PooledShard opened;
  const Shard& entry = shards_[shard];
  const DatasetReader& reader = dataset(entry.dataset);
  // A scanned shard is no file of the reader's storage.
  const bool is_scanned = datasets_[entry.dataset].scanned != nullptr;
  const auto open = [&](std::size_t i) -> Status {
    if (i > 0) {
      SHARDINE_ASSIGN_OR_RETURN(opened.index,
                                reader.OpenIndex(*entry.ref, pages_));
    } else {
      SHARDINE_ASSIGN_OR_RETURN(opened.file,
                                is_scanned ? storage_.Open(ShardPath(shard))
                                           : reader.OpenShard(*entry.ref));
    }
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ParallelFor(2, is_remote() ? 2 : 1, open));
  if (!allows_other_sizes_) {
    SHARDINE_RETURN_IF_ERROR(
        CheckShardSize(*opened.file, opened.index->binding().shard_bytes));
  }
  // Later answers of a server are held against those for the open file.
  if (is_remote()) SHARDINE_RETURN_IF_ERROR(CheckShards({shard}));
  return opened;
}

void DatasetSamples::OpenAll(const std::set<std::size_t>& shards) const {
  std::vector<std::size_t> closed;
  for (const std::size_t shard : shards) {
    if (!pool_.IsOpen(shard)) closed.push_back(shard);
  }
  (void)ParallelFor(closed.size(), is_remote() ? kServerBlocks : 1,
                    [&](std::size_t i) {
                      (void)Open(closed[i]);
                      return Status();
                    });
}

Status DatasetSamples::CheckShards(const std::set<std::size_t>& shards) const {
  const std::vector<std::size_t> all(shards.begin(), shards.end());
  const auto check = [&](std::size_t i) {
    const std::string path = ShardPath(all[i]);
    return CheckUnchanged(storage_, path, shards_[all[i]].facts)
        .At({.path = path});
  };
  return ParallelFor(all.size(), is_remote() ? kServerBlocks : 1, check);
}

std::string DatasetSamples::SidecarPath(std::size_t shard) const {
  const DatasetReader& reader = dataset(shards_[shard].dataset);
  // Where the manifest lists no sidecar, OpenIndex() reports it.
  const ManifestFile* const file =
      DatasetReader::SidecarOf(*shards_[shard].ref->shard);
  return file == nullptr ? ShardPath(shard) : reader.PathOf(*file);
}

std::string DatasetSamples::ShardName(std::size_t shard) const {
  const Shard& entry = shards_[shard];
  const std::string& name = entry.ref->shard->file.path;
  const bool is_scanned = datasets_[entry.dataset].scanned != nullptr;
  return is_scanned || datasets_.size() == 1
             ? name
             : JoinPath(path(entry.dataset), name);
}

std::uint64_t DatasetSamples::RecordInFile(std::size_t shard,
                                           std::uint64_t record) const {
  const Shard& entry = shards_[shard];
  const auto& scanned = datasets_[entry.dataset].scanned;
  if (scanned == nullptr) return record;
  const auto found = scanned->skipped.find(entry.ref->shard->file.path);
  return found == scanned->skipped.end() ? record
                                         : found->second.InFile(record);
}

std::string DatasetSamples::ShardPath(std::size_t shard) const {
  return dataset(shards_[shard].dataset).ShardPath(*shards_[shard].ref);
}

}  // namespace shardine
