// DatasetInfo: the contents of a dataset's manifest.
#ifndef SHARDINE_DATASET_INFO_H_
#define SHARDINE_DATASET_INFO_H_

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "shardine/contents.h"
#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/provenance.h"
#include "shardine/status.h"

namespace shardine {

struct DatasetShardInfo {
  std::string path;  // relative to the manifest
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
};

// Images of a kind that is not decoded.
struct KindCount {
  std::string kind;  // "webp"
  std::uint64_t count = 0;
};

// A field of some samples of a split, the image too.
struct DatasetFieldInfo {
  std::string name;
  std::uint64_t samples = 0;
  std::string dtype = {};                 // as FieldView's; empty: they differ
  std::vector<std::uint64_t> shape = {};  // a side that differs is 0
};

struct DatasetSplitInfo {
  std::string name;
  std::uint64_t samples = 0;
  std::uint64_t unlabelled = 0;  // of them, have no label
  std::uint64_t deep = 0;        // have an image of 16 bits a channel
  // Have no image, or not the field that others of the dataset have, by name.
  std::map<std::string, std::uint64_t> lacking = {};
  std::vector<KindCount> unsupported = {};  // of their images, by kind
  Digest128 content_digest;
  Digest128 names_digest;
  Digest128 order_digest;
  Digest128 binding_digest;  // zero in schema 1
  std::vector<DatasetShardInfo> shards;
  // Where they were counted: fields by name, the first hundred, and the samples
  // of each class, in the order of DatasetInfo::classes.
  std::vector<DatasetFieldInfo> fields = {};
  std::vector<std::uint64_t> class_counts = {};
};

struct DatasetClassInfo {
  std::string name;
  std::int64_t label = 0;
  std::uint64_t count = 0;
};

// A category of annotated objects: their number in fields of labels of boxes.
struct DatasetCategoryInfo {
  std::int64_t label = 0;
  std::string id;  // in the annotations that the dataset was made of
  std::string name;
};

struct DatasetInfo {
  std::uint64_t schema = 0;  // of the manifest: 1 or 2
  std::string format;        // "recordio/mxnet"
  std::string variant;       // "original", "sz/160"
  // For a size: how its images were made (Describe(ImageOptions)), the numbers
  // of images that have grown and that are the source's, and the source's
  // content digest.
  std::string images;
  std::uint64_t upscaled = 0;
  std::uint64_t kept = 0;
  Digest128 parent_digest;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of all shard files
  DatasetContents contents;
  EntryPointCounts entry_points;
  std::uint64_t entry_point_bytes = 0;  // of their files
  Digest128 content_digest;
  Digest128 names_digest;
  Digest128 order_digest;
  Digest128 binding_digest;  // zero in schema 1
  Digest128 plan_digest;
  std::string tool_version;
  Provenance made;
  std::vector<DatasetClassInfo> classes;
  std::vector<DatasetSplitInfo> splits;
  std::vector<std::string> variants;  // paths of those below this one
  std::uint64_t rejected = 0;
  std::uint64_t ignored = 0;  // files of the source that are no samples
  std::vector<std::string> text_fields = {};
  std::vector<DatasetCategoryInfo> categories = {};
};

// `counts`: reads all indexes, too. kCancelled: stopped. kCorrupt: the manifest
// or an index is damaged.
Result<DatasetInfo> ReadDatasetInfo(const std::string& dataset,
                                    const std::stop_token& stop = {},
                                    bool counts = false);

}  // namespace shardine

#endif  // SHARDINE_DATASET_INFO_H_
