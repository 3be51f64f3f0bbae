// FormatOfShard: the format of one of several files that are shards of a set.
#ifndef SHARDINE_DATASET_SHARD_FORMAT_H_
#define SHARDINE_DATASET_SHARD_FORMAT_H_

#include <span>
#include <string>

#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// As FormatRegistry::DetectLayout, but for an empty file that has no suffix of
// a format (TensorFlow writes "train-00000-of-00008" without one, and nothing
// into a shard without samples): the format and layout of the first of
// `fellows` that is not empty, if a file of that format can be.
Result<FormatAndLayout> FormatOfShard(const FormatRegistry& formats,
                                      ReadableStorage& storage,
                                      const RandomAccessFile& file,
                                      std::span<const std::string> fellows,
                                      const ReadRoles& roles = {});

}  // namespace shardine

#endif  // SHARDINE_DATASET_SHARD_FORMAT_H_
