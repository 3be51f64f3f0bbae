// Samples anywhere in a dataset, read in the order that the caller gives.
#ifndef SHARDINE_DATASET_LOCATED_SAMPLES_H_
#define SHARDINE_DATASET_LOCATED_SAMPLES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/sample_read.h"
#include "shardine/status.h"

namespace shardine {

struct LocatedSample {
  const DatasetReader::ShardRef* shard = nullptr;
  std::uint64_t record = 0;  // in the shard
  std::uint64_t bytes = 0;   // to read of the sample
};

// Calls `visit` with each in turn; several blocks of them are asked for at a
// time where they are on a server. `wanted` are names of fields, null: all that
// lie in the shard as such. Stops at the first failure, which has path and
// record, or one of `visit`.
Status ReadLocated(
    const DatasetReader& dataset, std::span<const LocatedSample> samples,
    const std::vector<std::string>* wanted,
    const std::function<Status(std::size_t i, const SampleRead& read)>& visit);

}  // namespace shardine

#endif  // SHARDINE_DATASET_LOCATED_SAMPLES_H_
