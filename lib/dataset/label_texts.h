// Labels of others' records that are texts: numbers, or the names of classes,
// which are known when all shards were looked at.
#ifndef SHARDINE_DATASET_LABEL_TEXTS_H_
#define SHARDINE_DATASET_LABEL_TEXTS_H_

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

using LabelTexts = std::set<std::string, std::less<>>;

// The labels of a shard.
struct ShardLabels {
  LabelTexts texts = {};
  Status lacking = {};  // an error where no record has the label
};

// Adds the texts of the shard's labels, and reads no further than its first
// array, which is a label of numbers. Damaged records are passed over with
// `skips_bad`. kUnsupported: too many texts for classes. REQUIRES: a label is
// named.
Status CollectLabelTexts(const RandomAccessFile& file, FormatAndLayout format,
                         bool skips_bad, const std::stop_token& stop,
                         ShardLabels& labels);

// The texts of all shards. Fails where each of them lacks the label.
Result<LabelTexts> JoinLabels(std::vector<ShardLabels> shards);

// Texts that are all numbers are these; else each is a class: one of `named`,
// or if there are none the classes in the order of their bytes.
// kInvalidArgument: `named` lacks one.
Status NumberLabels(const LabelTexts& texts, const ClassMap& named,
                    ReadRoles& roles);

}  // namespace shardine

#endif  // SHARDINE_DATASET_LABEL_TEXTS_H_
