// The sums of published shards: the manifest's entry of each shard and the
// digests of each split, read from the sidecars and companion files. Derived
// the same way after an undisturbed run and after any number of resumed ones.
#ifndef SHARDINE_DATASET_DATASET_SUMMARY_H_
#define SHARDINE_DATASET_DATASET_SUMMARY_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "dataset/content_counts.h"
#include "dataset/manifest.h"
#include "io/readable_storage.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

// One finished shard. Paths are relative to the dataset's folder.
struct FinishedShard {
  std::string split;
  std::string path;
  std::string companion;  // empty: none
  // The sidecar, where it is not beside the shard; empty: SidecarName(path).
  std::string sidecar;
  // Whether it has entry points if a file of such lies beside the sidecar.
  bool entry_points = false;
};

struct DatasetSummary {
  std::vector<ManifestSplit> splits;  // by name
  // As CountLabels() (source/class_map.h); none unless they are wanted.
  bool counts_labels = true;
  std::map<std::int64_t, std::uint64_t> label_counts;
  std::uint64_t image_bytes = 0;
  EntryPointCounts entry_points;
  std::vector<ContentCounts> counts = {};  // of the splits, with all fields
};

// `shards` in order within each split. Only a dataset with classes needs
// `count_labels`; without it memory does not grow with labels.
Result<DatasetSummary> SummarizeShards(ReadableStorage& storage,
                                       const std::string& directory,
                                       std::span<const FinishedShard> shards,
                                       bool count_labels = true);

// The part that all manifests of whole datasets share: the summary, the format
// by name, the classes with their sample counts, how it was made and by which
// version.
Manifest ManifestOf(DatasetSummary summary, std::string format,
                    ClassMap classes, Provenance made);

// The running sums of one split, over its samples in order: content_digest,
// names_digest, binding_digest, order_digest; and the contents of its samples.
class SplitDigests {
 public:
  explicit SplitDigests(std::string split) : split_(std::move(split)) {}

  void Add(const IndexEntry& entry, std::string_view key);
  void StoreIn(ManifestSplit& split) const;
  // Whether they are those of the split; `bindings`: in all of them.
  bool Match(const ManifestSplit& split, bool bindings) const;
  const ContentCounts& counts() const { return counts_; }

 private:
  std::string split_;
  std::uint64_t samples_ = 0;
  ContentCounts counts_;
  Digest128 content_;
  Digest128 names_;
  Digest128 bindings_;
  Xxh3Stream order_;
};

// Size and digest of a file. `path` is relative to the directory.
Result<ManifestFile> DescribeFile(ReadableStorage& storage,
                                  const std::string& directory,
                                  const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_DATASET_DATASET_SUMMARY_H_
