// Files about a dataset as a whole that programs of a format's ecosystem look
// for beside its shards. A format makes them from the manifest and the lists of
// its own companions, so that they can be made again and compared.
#ifndef SHARDINE_SHARD_DATASET_METADATA_H_
#define SHARDINE_SHARD_DATASET_METADATA_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// The facts of a dataset in its manifest. Paths are relative to its folder.
struct DatasetFacts {
  struct Shard {
    std::string path;
    std::string companion;  // the format's own index; empty: none
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
  };
  struct Split {
    std::string name;
    std::uint64_t samples = 0;
    std::uint64_t unlabelled = 0;
    std::vector<Shard> shards;  // in order
  };
  struct Class {
    std::string name;
    std::int64_t label = 0;
  };

  std::string directory;
  std::vector<Split> splits;   // by name
  std::vector<Class> classes;  // by label
};

// Takes files one after the other. Thread-compatible.
class MetadataSink {
 public:
  virtual ~MetadataSink() = default;

  // The text appended next belongs to the file at `path`, below the dataset's
  // folder.
  virtual Status Begin(std::string_view path) = 0;
  // REQUIRES: a file was begun.
  virtual Status Append(std::string_view text) = 0;
};

// Names of classes, a line each, as TensorFlow Datasets has them.
inline constexpr std::string_view kLabelNameFile = "label.labels.txt";

// The parameter of layouts that have such files, and its default.
inline constexpr std::string_view kMetadataParameter = "metadata";
inline constexpr std::string_view kNoMetadata = "none";

}  // namespace shardine

#endif  // SHARDINE_SHARD_DATASET_METADATA_H_
