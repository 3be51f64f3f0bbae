// BatchLayout: the members that all batches of a loader have room for, beside
// the number and size of their images.
#ifndef SHARDINE_LOAD_BATCH_LAYOUT_H_
#define SHARDINE_LOAD_BATCH_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "shard/shard_index.h"
#include "shardine/follow.h"
#include "shardine/mixing.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

// The type and shape of a field in every sample of a loader.
struct FieldSpec {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;  // of one sample
  std::size_t bytes_each = 0;        // of arrays that are not ragged
  bool ragged = false;               // shapes are each sample's own, if any
  // With kStay none counts. The first two sides of a mask's `shape` are the
  // view's.
  FollowKind follow = FollowKind::kStay;
  std::string boxes = {};  // FollowedField::boxes
  std::size_t view = 0;
  std::vector<std::byte> element = {};  // fills places without a source

  bool is_bytes() const { return dtype == kBytesDtype; }
  bool is_ragged_array() const { return ragged && !is_bytes(); }
  bool is_mask() const {
    return follow == FollowKind::kNearest ||
           follow == FollowKind::kNearestExact;
  }
};

// The room of a batch: the same for all batches of a loader.
struct BatchLayout {
  PixelType type = PixelType::kUint8;
  PixelLayout pixels = PixelLayout::kNhwc;
  MixOptions mix;
  OneHot one_hot;
  std::vector<Label> first_labels;  // of the first sample
  std::vector<FieldSpec> fields;
  std::string image{kImageField};     // LoaderOptions::image
  bool has_pixels = false;            // with a transform
  std::vector<PixelSize> more_views;  // LoaderOptions::more_views
  // As many as the largest array of a spec has bytes; of synthetic batches with
  // ragged fields.
  std::vector<std::byte> zeros;

  std::uint32_t labels_per_sample() const {
    return static_cast<std::uint32_t>(first_labels.size());
  }
  bool has_mix() const { return !mix.choices.empty(); }
  // Whether a field is plain bytes.
  bool has_bytes() const;
  bool has_ragged_arrays() const;
  // Whether payloads are read into the batch's own memory: for views of bytes,
  // and for ragged arrays until they are joined. Not for those beside pixels:
  // then payloads are mostly images, which need not wait for their batch.
  bool keeps_payloads() const;
};

// The fields of that name as `sample` has them: for `ragged`, the first that
// has each. kInvalidArgument: it has none, or one is asked for twice;
// kUnsupported: an array of 4 GiB or more, or a ragged one whose elements have
// no bytes.
Result<std::vector<FieldSpec>> FieldSpecs(const std::vector<std::string>& names,
                                          const IndexEntry& sample,
                                          bool ragged = false);

}  // namespace shardine

#endif  // SHARDINE_LOAD_BATCH_LAYOUT_H_
