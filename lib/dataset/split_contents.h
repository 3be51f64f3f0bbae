// SplitContents: fields, classes and kinds of images of a split, counted from
// its indexes.
#ifndef SHARDINE_DATASET_SPLIT_CONTENTS_H_
#define SHARDINE_DATASET_SPLIT_CONTENTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "image/image_facts.h"
#include "shard/shard_index.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// A field of some samples, the image too.
struct FieldContents {
  std::uint64_t samples = 0;
  std::string dtype = {};  // of all of them; empty: they differ
  // One for all of them; a dimension that differs is 0.
  std::vector<std::uint64_t> shape = {};
  bool has_one_rank = true;  // else there is no shape

  void Add(const IndexField& field);
  void Add(const FieldContents& more);
};

// Thread-compatible.
struct SplitContents {
  std::uint64_t samples = 0;
  std::uint64_t unlabelled = 0;
  std::uint64_t one_class = 0;  // samples with one label, an integer
  LabelCounts labels = {};      // as CountLabels()
  std::map<std::string, FieldContents> fields = {};  // the first by name
  std::map<ImageKind, std::uint64_t> kinds = {};     // of encoded images

  void Add(const IndexEntry& entry);
  void Add(const SplitContents& more);
};

using VisitEntry =
    std::function<Status(const DatasetReader::ShardRef& shard,
                         const IndexEntry& entry, const std::string& key)>;

// The contents of each split of the manifest, in its order. Reads all indexes;
// calls `visit`, if it is one, with each entry.
Result<std::vector<SplitContents>> ReadContents(const DatasetReader& dataset,
                                                const VisitEntry& visit = {});

}  // namespace shardine

#endif  // SHARDINE_DATASET_SPLIT_CONTENTS_H_
