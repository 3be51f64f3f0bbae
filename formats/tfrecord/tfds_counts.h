// The numbers of samples in dataset_info.json, as TensorFlow Datasets and
// shardine write that file. FORMAT.md, "TensorFlow Datasets".
#ifndef SHARDINE_FORMATS_TFRECORD_TFDS_COUNTS_H_
#define SHARDINE_FORMATS_TFRECORD_TFDS_COUNTS_H_

#include <string_view>
#include <vector>

#include "shard/count_file.h"

namespace shardine {

Result<std::vector<SaidSplit>> ReadTfdsCounts(std::string_view text);

inline constexpr CountFile kTfRecordCountFiles[] = {
    {"dataset_info.json", ReadTfdsCounts},
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFDS_COUNTS_H_
