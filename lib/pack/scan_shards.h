// Scans shards that are in no dataset into a dataset that exists in memory
// alone.
#ifndef SHARDINE_PACK_SCAN_SHARDS_H_
#define SHARDINE_PACK_SCAN_SHARDS_H_

#include <memory>
#include <string>

#include "dataset/scanned_shards.h"
#include "shardine/image_check.h"
#include "shardine/index.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

// As IndexShards() without an output: nothing is written. `split_of_several`
// is read of a file that names several splits; "": such a file is refused.
// Records that cannot be read are a failure under OnBad::kFail, else left out.
Result<std::unique_ptr<ScannedShards>> ScanShards(
    const IndexOptions& options, const std::string& split_of_several,
    OnBad on_bad, const Job& job);

}  // namespace shardine

#endif  // SHARDINE_PACK_SCAN_SHARDS_H_
