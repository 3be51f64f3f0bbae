// DigestCheck: proves that the samples in the sidecars are those of the
// manifest.
#ifndef SHARDINE_DATASET_DIGEST_CHECK_H_
#define SHARDINE_DATASET_DIGEST_CHECK_H_

#include <optional>
#include <string_view>

#include "dataset/dataset_reader.h"
#include "dataset/dataset_summary.h"
#include "shardine/status.h"

namespace shardine {

// Whoever lists all samples of a dataset learns on the way whether its sidecars
// add up to its manifest. Thread-compatible; the dataset must outlive it.
class DigestCheck {
 public:
  explicit DigestCheck(const DatasetReader& dataset) : dataset_(dataset) {}

  // Called before the samples of each shard, with its split, one split after
  // the other. kCorrupt as End().
  Status Begin(const ManifestSplit& split);
  void Add(const IndexEntry& entry, std::string_view key) {
    digests_->Add(entry, key);
  }
  // kCorrupt: the split that was begun last has other digests.
  Status End() const;

 private:
  const DatasetReader& dataset_;
  const ManifestSplit* split_ = nullptr;
  std::optional<SplitDigests> digests_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_DIGEST_CHECK_H_
