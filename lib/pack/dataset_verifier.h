// Verification of one dataset: its manifest, shards and other files, and
// whether they add up.
#ifndef SHARDINE_PACK_DATASET_VERIFIER_H_
#define SHARDINE_PACK_DATASET_VERIFIER_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "io/storage.h"
#include "pack/kept_images.h"
#include "pack/shard_verifier.h"
#include "shard/format_registry.h"
#include "shardine/pack.h"
#include "shardine/status.h"
#include "shardine/verify.h"

namespace shardine {

// Calls the user's function from one thread at a time.
class SharedProgress {
 public:
  explicit SharedProgress(const ProgressFunction& function)
      : function_(function) {}

  // Not while threads are at work.
  void AddToTotal(const Manifest& manifest) {
    progress_.samples_total += manifest.samples();
    for (const ManifestSplit& split : manifest.splits) {
      for (const ManifestShard& shard : split.shards) {
        progress_.bytes_total += shard.file.bytes;
      }
    }
  }

  void AddRecord(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    ++progress_.samples;
    progress_.bytes += bytes;
    if (function_) function_(progress_);
  }
  // Not while threads are at work.
  const Progress& progress() const { return progress_; }

 private:
  const ProgressFunction& function_;
  std::mutex mutex_;
  Progress progress_;  // guarded by mutex_
};

// Used once, by one thread. What it is made of must outlive it.
class DatasetVerifier {
 public:
  DatasetVerifier(Storage& storage, const DatasetReader& dataset,
                  const FormatAndLayout& format, const VerifyOptions& options,
                  SharedProgress& progress)
      : storage_(storage),
        dataset_(dataset),
        format_(format),
        options_(options),
        progress_(progress) {}

  // Samples and bytes are counted in the progress only. kCancelled if stopped.
  Result<VerifyResult> Run(const std::stop_token& stop);

 private:
  void CheckManifestText();
  Status CheckShards(const std::stop_token& stop);
  KeptImages ReadKept();
  void NoteKept(
      const std::vector<std::map<std::string, std::uint64_t>>& by_shard);
  void CheckOtherFiles();
  void CheckSums();
  void NoteUnlisted();

  Storage& storage_;
  const DatasetReader& dataset_;
  const FormatAndLayout& format_;
  const VerifyOptions& options_;
  SharedProgress& progress_;
  std::vector<ShardVerifier::Sums> sums_;  // by shard
  VerifyResult result_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_DATASET_VERIFIER_H_
