// ExtractedNames: the file name of each sample of a dataset in a tree of
// images.
#ifndef SHARDINE_EXTRACT_EXTRACTED_NAMES_H_
#define SHARDINE_EXTRACT_EXTRACTED_NAMES_H_

#include <string>

#include "base/bytes.h"
#include "dataset/dataset_reader.h"
#include "shard/shard_index.h"
#include "shardine/extract.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// Immutable, so thread-safe.
class ExtractedNames {
 public:
  // Looks at all samples, before a file is written. kUnsupported and
  // kAlreadyExists, naming the first sample: it cannot be a file, another
  // sample has its name, or no sample has an encoded image.
  static Result<ExtractedNames> Of(const DatasetReader& dataset,
                                   ExtractNames names);

  // Below the folder of its split. A name that is an id gets the extension of
  // the content.
  Result<std::string> NameOf(const IndexEntry& entry, const std::string& key,
                             ByteView image) const;

  // Some names differ in case or Unicode form alone: a file system may have one
  // file for two of them.
  bool has_twins() const { return has_twins_; }

 private:
  ExtractedNames(ExtractNames names, const ClassMap& classes)
      : names_(names), classes_(classes) {}

  Result<std::string> Stem(const IndexEntry& entry,
                           const std::string& key) const;
  Status LookAt(const DatasetReader& dataset);

  ExtractNames names_;
  const ClassMap& classes_;  // of the dataset
  bool has_twins_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_EXTRACT_EXTRACTED_NAMES_H_
