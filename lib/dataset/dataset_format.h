// The format of the shards, as the manifest names it.
#ifndef SHARDINE_DATASET_DATASET_FORMAT_H_
#define SHARDINE_DATASET_DATASET_FORMAT_H_

#include "dataset/dataset_reader.h"
#include "shard/format_registry.h"

namespace shardine {

// kUnsupported, and not the caller's mistake, where `formats` has no such
// format: a newer shardine may have made the dataset.
Result<FormatAndLayout> FormatOf(const DatasetReader& dataset,
                                 const FormatRegistry& formats);

}  // namespace shardine

#endif  // SHARDINE_DATASET_DATASET_FORMAT_H_
