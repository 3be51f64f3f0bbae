// ListBadImages: after the first bad image, which ends a pack, checks the rest
// so that all bad images are listed at once.
#ifndef SHARDINE_PACK_LIST_BAD_IMAGES_H_
#define SHARDINE_PACK_LIST_BAD_IMAGES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "dataset/rejects.h"
#include "io/output_folder.h"
#include "pack/block.h"
#include "pack/dataset_plan.h"
#include "shardine/job.h"
#include "shardine/progress.h"
#include "shardine/status.h"

namespace shardine {

// Where the bad images are listed, one a line as in rejected.jsonl: in OUT's
// work folder, for people. No run reads it, and the next one removes it.
std::string BadImagesPath(const OutputFolder& output);

struct BadImageSearch {
  OutputFolder output;
  std::vector<std::size_t> shards;  // into ShardPlan::shards(), unfinished
  PlannedBlock from;  // the block of the first bad image; none before is bad
  unsigned threads = 1;
  std::uint64_t made_per_sample = 0;
  Progress done = {};  // before
};

// Reads and judges the rest as `looker` does, which takes good images and
// rejects bad ones; nothing is packed. Returns `first`, the failure of the
// first bad image, with their number, some names, and the file that lists all.
// A failure to look at all of them is named, too.
Status ListBadImages(const DatasetPlan& planned, const BlockPreparer& looker,
                     const BadImageSearch& work, const Status& first,
                     const Job& job);

}  // namespace shardine

#endif  // SHARDINE_PACK_LIST_BAD_IMAGES_H_
