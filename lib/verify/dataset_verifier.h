// Verification of one dataset: its manifest, shards and other files, and
// whether they add up.
#ifndef SHARDINE_VERIFY_DATASET_VERIFIER_H_
#define SHARDINE_VERIFY_DATASET_VERIFIER_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "dataset/dataset_reader.h"
#include "io/readable_storage.h"
#include "shardine/status.h"
#include "shardine/verify.h"
#include "verify/dataset_shards.h"
#include "verify/shard_outcome.h"

namespace shardine {

// Gives the outcomes of a dataset's shards: called for each of them, by several
// threads.
using OutcomeOf = std::function<Result<ShardOutcome>(std::size_t shard)>;

// Used once, by one thread. The constructor's arguments must outlive it.
class DatasetVerifier {
 public:
  DatasetVerifier(ReadableStorage& storage, const DatasetShards& shards,
                  const VerifyOptions& options)
      : storage_(storage),
        dataset_(shards.dataset()),
        shards_(shards),
        options_(options) {}

  // kCancelled if stopped.
  Result<VerifyResult> Run(const OutcomeOf& outcome_of);

 private:
  Status NoteMissingImages();
  void CheckManifestText();
  Status CollectOutcomes(const OutcomeOf& outcome_of);
  void NoteKept();
  void NoteDroppedPromises();
  void NoteStaleCard();
  void CheckOtherFiles();
  void CheckSums();
  void CheckGroupsOfSplits();
  void NoteUnlisted();

  ReadableStorage& storage_;
  const DatasetReader& dataset_;
  const DatasetShards& shards_;
  const VerifyOptions& options_;
  // By shard, so that findings come in the order of the manifest for any number
  // of threads.
  std::vector<ShardOutcome> outcomes_;
  VerifyResult result_;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_DATASET_VERIFIER_H_
