// Verification of one dataset: its manifest, shards and other files, and
// whether they add up.
#ifndef SHARDINE_VERIFY_DATASET_VERIFIER_H_
#define SHARDINE_VERIFY_DATASET_VERIFIER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/kept_images.h"
#include "io/readable_storage.h"
#include "pipeline/shared_progress.h"
#include "shard/format_registry.h"
#include "shardine/status.h"
#include "shardine/verify.h"
#include "verify/shard_verifier.h"
#include "verify/verify_tree.h"

namespace shardine {

// Used once, by one thread. What it is made of must outlive it.
class DatasetVerifier {
 public:
  DatasetVerifier(ReadableStorage& storage, const DatasetReader& dataset,
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
  Status NoteMissingImages();
  void CheckManifestText();
  Status CheckShards(const std::stop_token& stop);
  unsigned Threads() const;
  KeptImages ReadKept();
  void NoteKept(
      const std::vector<std::map<std::string, std::uint64_t>>& by_shard);
  void CheckOtherFiles();
  void CheckSums();
  void NoteUnlisted();

  ReadableStorage& storage_;
  const DatasetReader& dataset_;
  const FormatAndLayout& format_;
  const VerifyOptions& options_;
  SharedProgress& progress_;
  std::optional<SourceTree> against_;
  std::vector<ShardVerifier::Sums> sums_;  // by shard
  VerifyResult result_;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_DATASET_VERIFIER_H_
