// The three files by which TensorFlow Datasets reads a folder of shards:
// dataset_info.json, features.json, label.labels.txt. FORMAT.md,
// "TensorFlow Datasets".
#ifndef SHARDINE_FORMATS_TFRECORD_TFDS_METADATA_H_
#define SHARDINE_FORMATS_TFRECORD_TFDS_METADATA_H_

#include <string_view>

#include "shard/format.h"

namespace shardine {

// A value of kMetadataParameter.
inline constexpr std::string_view kTfdsMetadata = "tfds";

// As Format::write_metadata. kUnsupported: the name of a shard is not SPLIT,
// its number and the suffix, by which TensorFlow Datasets finds it.
Status WriteTfdsMetadata(ReadableStorage& storage, const DatasetFacts& facts,
                         const LayoutChoice& layout, MetadataSink& sink);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFDS_METADATA_H_
