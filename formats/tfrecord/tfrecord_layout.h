// The features of an Example that TFRecord's layouts take for themselves: key,
// id, labels, class; and which of its features only repeat a sample's other
// data. FORMAT.md, "Features".
#ifndef SHARDINE_FORMATS_TFRECORD_TFRECORD_LAYOUT_H_
#define SHARDINE_FORMATS_TFRECORD_TFRECORD_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shard/format.h"
#include "shardine/status.h"
#include "tfrecord/example_fields.h"
#include "tfrecord/example_reader.h"

namespace shardine {

inline constexpr std::string_view kImagenetLayout = "imagenet";
inline constexpr std::string_view kTfdsLayout = "tfds";
inline constexpr std::string_view kLabelOffset = "label_offset";

inline constexpr std::uint64_t kMaxTfRecordLabels = ExampleReader::kMaxChunks;

// The value of label_offset; 0 for a layout without it.
std::int64_t LabelOffsetOf(const LayoutChoice& choice);

// A sample without its fields.
struct TakenSample {
  std::optional<std::uint64_t> id;
  std::optional<std::string_view> key;
  std::vector<Label> labels;
  std::string_view class_name;
  std::string_view class_text;
  std::string made_key;  // where `key` points, if it was put together
};

// Replaces `taken` by the findings of tfrecord/imagenet, drops its features
// from `fields`. A record with neither image/encoded nor shardine/key does not
// belong to this layout: all its features stay fields. So does one of a kind,
// or a number of values, that the layout does not give it. kUnsupported for a
// label that is invalid without the offset, and for more than
// kMaxTfRecordLabels. Image, label and key that `roles` take elsewhere are
// taken by nothing here: their features stay fields, too.
Status TakeImagenet(const ExampleReader& example, std::int64_t label_offset,
                    const FieldRoles& roles, TakenSample& taken,
                    ExampleFields& fields);
// The same of tfrecord/tfds.
void TakeTfds(const ExampleReader& example, const FieldRoles& roles,
              TakenSample& taken, ExampleFields& fields);

// The name of the layout that an Example is most likely of.
std::string_view LayoutOf(const ExampleReader& example);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFRECORD_LAYOUT_H_
