// BatchLayout: what all batches of a loader have room for, beside the number
// and size of their images.
#ifndef SHARDINE_LOAD_BATCH_LAYOUT_H_
#define SHARDINE_LOAD_BATCH_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shard/shard_index.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

// What a field is in every sample of a loader.
struct FieldSpec {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;  // of one sample
  std::size_t bytes_each = 0;        // of arrays

  bool is_bytes() const { return dtype == kBytesDtype; }
};

// What a batch has room for: the same for all batches of a loader.
struct BatchLayout {
  PixelType type = PixelType::kUint8;
  std::vector<Label> first_labels;  // of the first sample
  std::vector<FieldSpec> fields;

  std::uint32_t labels_per_sample() const {
    return static_cast<std::uint32_t>(first_labels.size());
  }
  // Whether batches have views of payloads.
  bool keeps_payloads() const;
};

// The fields of that name as `sample` has them. kInvalidArgument: it has none,
// or one is asked for twice; kUnsupported: an array of 4 GiB or more.
Result<std::vector<FieldSpec>> FieldSpecs(const std::vector<std::string>& names,
                                          const IndexEntry& sample);

}  // namespace shardine

#endif  // SHARDINE_LOAD_BATCH_LAYOUT_H_
