// From a plan to its datasets: the part that pack, resize and convert share
// once the place of each sample is decided. Writes the shards that an
// interrupted run did not finish, then the manifests.
#ifndef SHARDINE_PACK_MAKE_DATASET_H_
#define SHARDINE_PACK_MAKE_DATASET_H_

#include <cstdint>
#include <string>

#include "io/output_folder.h"
#include "pack/block.h"
#include "pack/dataset_plan.h"
#include "shardine/digest.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

struct MakeOptions {
  OutputFolder output;
  Judgement judged = {};  // as `preparer` does
  // Judges as `preparer` does, and rejects bad images: to find the others when
  // one is to end the work. May be null.
  const BlockPreparer* looker = nullptr;
  unsigned threads = 0;
  bool check_space = true;
  bool replace = false;
  Digest128 command = {};  // as Replacement::Begin() takes it
  bool dry_run = false;
  std::uint64_t made_per_sample = 0;  // bytes to expect beside the source's
};

// kIo: the output's disk has less room. Only payloads that are stored as they
// are read have a size beforehand; a disk that cannot hold those would be full
// after hours.
Status CheckSpace(const OutputFolder& output, std::uint64_t needed);

// Nothing is done for an output that is complete with this very plan. Shards
// that an earlier run finished are kept where all that decides their bytes is
// as it was; others of its shards are removed, and made again if this plan has
// them. Same errors as Pack() (shardine/pack.h), and those of `preparer`.
Result<PackResult> MakeDataset(const DatasetPlan& planned,
                               const BlockPreparer& preparer,
                               const MakeOptions& options, const Job& job);

}  // namespace shardine

#endif  // SHARDINE_PACK_MAKE_DATASET_H_
