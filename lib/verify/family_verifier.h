// FamilyVerifier: verification of a dataset and its variants, and of whether
// they belong together.
#ifndef SHARDINE_VERIFY_FAMILY_VERIFIER_H_
#define SHARDINE_VERIFY_FAMILY_VERIFIER_H_

#include <cstddef>
#include <functional>
#include <string>

#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"
#include "shardine/verify.h"
#include "verify/dataset_family.h"
#include "verify/dataset_shards.h"
#include "verify/shard_outcome.h"

namespace shardine {

// Gives the outcomes of a family's shards: called for each of them, by several
// threads. `member` is the number of the dataset.
using FamilyOutcomeOf = std::function<Result<ShardOutcome>(
    const DatasetShards& shards, std::size_t member, std::size_t shard)>;

// Used once, by one thread. The constructor's arguments must outlive it.
class FamilyVerifier {
 public:
  FamilyVerifier(ReadableStorage& storage, const FormatRegistry& formats,
                 const DatasetFamily& family, const VerifyOptions& options)
      : storage_(storage),
        formats_(formats),
        family_(family),
        options_(options) {}

  Result<VerifyResult> Run(const FamilyOutcomeOf& outcome_of);

 private:
  void CompareSplits();
  void CompareWithRoot(const DatasetFamily::Member& variant);
  Status VerifyMember(std::size_t number, const FamilyOutcomeOf& outcome_of);

  ReadableStorage& storage_;
  const FormatRegistry& formats_;
  const DatasetFamily& family_;
  const VerifyOptions& options_;
  VerifyResult result_;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_FAMILY_VERIFIER_H_
