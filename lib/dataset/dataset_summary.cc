#include "dataset/dataset_summary.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "io/digesting_file.h"
#include "io/path_scheme.h"
#include "shard/content_digest.h"
#include "shard/payload.h"
#include "shardine/version.h"

namespace shardine {
namespace {

Status AddSamples(const ShardIndex& index, SplitDigests& digests,
                  DatasetSummary& summary) {
  return WalkIndex(index, [&](std::uint64_t, const IndexEntry& entry,
                              const std::string& key) {
    digests.Add(entry, key);
    if (const IndexField* image = ImageFieldOf(entry)) {
      summary.image_bytes += FieldBytes(*image);
    }
    if (summary.counts_labels) CountLabels(entry.labels, summary.label_counts);
    return Status();
  });
}

// True if the shard has entry points.
Result<bool> AddEntryPoints(ReadableStorage& storage, const std::string& path,
                            const ShardIndex& index, DatasetSummary& summary) {
  const auto points = EntryPointFile::Open(storage, path);
  // A shard has no file of entry points if its images have no points. A file of
  // another shard is an error: the manifest would vouch for it.
  if (points.status().code() == Code::kNotFound) return false;
  if (!points.ok()) return points.status();
  SHARDINE_RETURN_IF_ERROR(CheckBelongs(**points, index));
  summary.entry_points += (*points)->counts();
  return true;
}

Result<ManifestShard> DescribeShard(ReadableStorage& storage,
                                    const std::string& directory,
                                    const FinishedShard& shard,
                                    SplitDigests& digests,
                                    DatasetSummary& summary) {
  const std::string sidecar =
      shard.sidecar.empty() ? SidecarName(shard.path) : shard.sidecar;
  SHARDINE_ASSIGN_OR_RETURN(
      const auto index,
      ShardIndex::Open(storage, JoinPath(directory, sidecar)));
  SHARDINE_RETURN_IF_ERROR(AddSamples(*index, digests, summary));
  ManifestShard described;
  // Size and digest are those of the bytes that were read back when the sidecar
  // was made. Taking them from the file as it is now would vouch for whatever
  // became of it since.
  described.file = {shard.path, index->binding().shard_bytes,
                    index->binding().shard_digest};
  described.samples = index->size();
  described.plan_digest = index->binding().plan_digest;
  std::string points;
  if (shard.entry_points) {
    points = EntryPointName(sidecar);
    SHARDINE_ASSIGN_OR_RETURN(
        const bool found,
        AddEntryPoints(storage, JoinPath(directory, points), *index, summary));
    if (!found) points.clear();
  }
  for (const std::string& path : {shard.companion, sidecar, points}) {
    if (path.empty()) continue;
    SHARDINE_ASSIGN_OR_RETURN(auto file,
                              DescribeFile(storage, directory, path));
    described.companions.push_back(std::move(file));
  }
  std::sort(described.companions.begin(), described.companions.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return described;
}

}  // namespace

void SplitDigests::Add(const IndexEntry& entry, std::string_view key) {
  ++samples_;
  // These three are sums, so that a split has the same digests however it is
  // cut into shards and in whatever order. The order digest alone depends on
  // it.
  content_ += entry.content_digest;
  names_ += NameDigest(entry.id, split_, key);
  bindings_ += BindingDigest(entry.id, split_, key, entry.content_digest);
  order_.UpdateLe(entry.id);
  counts_.Add(entry);
}

void SplitDigests::StoreIn(ManifestSplit& split) const {
  split.samples = samples_;
  split.content_digest = content_;
  split.names_digest = names_;
  split.binding_digest = bindings_;
  split.order_digest = order_.Digest();
}

bool SplitDigests::Match(const ManifestSplit& split, bool bindings) const {
  return samples_ == split.samples && content_ == split.content_digest &&
         names_ == split.names_digest &&
         (!bindings || bindings_ == split.binding_digest) &&
         order_.Digest() == split.order_digest;
}

Result<ManifestFile> DescribeFile(ReadableStorage& storage,
                                  const std::string& directory,
                                  const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file,
                            storage.OpenForward(JoinName(directory, path)));
  // No reads go through it, so it digests the file from the first byte to the
  // last.
  DigestingFile digesting(*file);
  SHARDINE_ASSIGN_OR_RETURN(const Digest128 digest, digesting.Finish());
  return ManifestFile{path, file->size(), digest};
}

Result<DatasetSummary> SummarizeShards(ReadableStorage& storage,
                                       const std::string& directory,
                                       std::span<const FinishedShard> shards,
                                       bool count_labels) {
  std::map<std::string, std::pair<ManifestSplit, SplitDigests>> splits;
  DatasetSummary summary;
  summary.counts_labels = count_labels;
  for (const FinishedShard& shard : shards) {
    auto [found, is_new] = splits.try_emplace(shard.split, ManifestSplit(),
                                              SplitDigests(shard.split));
    auto& [split, digests] = found->second;
    if (is_new) split.name = shard.split;
    SHARDINE_ASSIGN_OR_RETURN(
        auto described,
        DescribeShard(storage, directory, shard, digests, summary));
    split.shards.push_back(std::move(described));
  }
  for (auto& [name, entry] : splits) {
    entry.second.StoreIn(entry.first);
    summary.counts.push_back(entry.second.counts());
    summary.splits.push_back(std::move(entry.first));
  }
  StoreCounts(summary.counts, summary.splits);
  return summary;
}

Manifest ManifestOf(DatasetSummary summary, std::string format,
                    ClassMap classes, Provenance made) {
  Manifest manifest;
  manifest.format = std::move(format);
  manifest.classes = std::move(classes);
  for (ClassInfo& entry : manifest.classes) {
    // A source may count more samples than the dataset has: images were
    // rejected.
    entry.count = summary.label_counts[entry.label];
  }
  manifest.splits = std::move(summary.splits);
  manifest.entry_points = summary.entry_points;
  manifest.tool_version = Version();
  manifest.made = std::move(made);
  return manifest;
}

}  // namespace shardine
