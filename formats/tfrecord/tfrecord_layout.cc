#include "tfrecord/tfrecord_layout.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/status_macros.h"
#include "tfrecord/feature_names.h"

namespace shardine {
namespace {

// Drops the feature if it is one text, and returns that. A feature of another
// kind stays a field, so that nothing of a foreign record is lost in silence.
std::optional<std::string_view> TakeBytes(const ExampleReader& example,
                                          std::string_view name,
                                          ExampleFields& fields) {
  const Feature* const feature = example.Find(name);
  const auto value = SingleBytes(example, feature);
  if (value) fields.Drop(feature);
  return value;
}

std::optional<std::int64_t> TakeInt64(const ExampleReader& example,
                                      std::string_view name,
                                      ExampleFields& fields) {
  const Feature* const feature = example.Find(name);
  const auto value = SingleInt64(example, feature);
  if (value) fields.Drop(feature);
  return value;
}

Status AddLabels(const ExampleReader& example, const Feature& feature,
                 std::int64_t offset, std::vector<Label>& labels) {
  if (feature.values > kMaxTfRecordLabels) {
    return Status(Code::kUnsupported,
                  std::to_string(feature.values) + " labels: at most " +
                      std::to_string(kMaxTfRecordLabels) + " are read");
  }
  labels.reserve(static_cast<std::size_t>(feature.values));
  Int64Values values(example, feature);
  for (std::int64_t value = 0; values.Next(value);) {
    if (value < std::numeric_limits<std::int64_t>::min() + offset) {
      return Status(Code::kUnsupported, "label " + std::to_string(value) +
                                            ": none has this number with "
                                            "label_offset=" +
                                            std::to_string(offset));
    }
    labels.emplace_back(value - offset);
  }
  return {};
}

// Is image/object/bbox/label no more than `label` once per box? Only then does
// the writer make it again, and only then may it be dropped.
bool RepeatsLabel(const ExampleReader& example, const Feature& box_label,
                  std::int64_t label) {
  if (box_label.kind != FeatureKind::kInt64) return false;
  for (const std::string_view name : kBoxes) {
    const Feature* const side = example.Find(name);
    if (side == nullptr || side->kind != FeatureKind::kFloat ||
        side->values != box_label.values) {
      return false;
    }
  }
  Int64Values values(example, box_label);
  for (std::int64_t value = 0; values.Next(value);) {
    if (value != label) return false;
  }
  return true;
}

void TakeName(const ExampleReader& example, TakenSample& taken,
              ExampleFields& fields) {
  // The class is taken before this: it is the folder of a name that was cut.
  const auto filename = TakeBytes(example, kFilename, fields);
  taken.key = TakeBytes(example, kShardineKey, fields);
  if (taken.key || !filename) return;
  // The key is made as if the file lay in the folder of its class.
  taken.key = filename;
  if (taken.class_name.empty()) return;
  taken.made_key.assign(taken.class_name).append("/").append(*filename);
  taken.key = taken.made_key;
}

void Clear(TakenSample& taken) {
  taken.id.reset();
  taken.key.reset();
  taken.labels.clear();
  taken.class_name = {};
  taken.class_text = {};
}

}  // namespace

std::int64_t LabelOffsetOf(const LayoutChoice& choice) {
  if (choice.layout == nullptr || choice.layout->parameters.empty()) return 0;
  return choice.value(kLabelOffset) == "1" ? 1 : 0;
}

Status TakeImagenet(const ExampleReader& example, std::int64_t label_offset,
                    TakenSample& taken, ExampleFields& fields) {
  Clear(taken);
  const Feature* const encoded = example.Find(kEncoded);
  // Names like image/height are common. What makes a record one of this layout
  // is that it has one of the two.
  if (encoded == nullptr && example.Find(kShardineKey) == nullptr) return {};
  if (SingleBytes(example, encoded)) fields.Rename(encoded, kImageField);
  for (const std::string_view name : {kHeight, kWidth, kChannels}) {
    TakeInt64(example, name, fields);
  }
  for (const std::string_view name : {kColorspace, kImageFormat}) {
    TakeBytes(example, name, fields);
  }
  taken.class_name = TakeBytes(example, kSynset, fields).value_or("");
  taken.class_text = TakeBytes(example, kClassText, fields).value_or("");
  TakeName(example, taken, fields);
  if (const auto id = TakeInt64(example, kShardineId, fields)) {
    taken.id = static_cast<std::uint64_t>(*id);
  }
  const Feature* const label = example.Find(kClassLabel);
  // A label of another kind, such as a text, stays a field. The boxes' label is
  // then a field too, since nothing can be repeated in it.
  if (label == nullptr || label->kind != FeatureKind::kInt64) return {};
  SHARDINE_RETURN_IF_ERROR(
      AddLabels(example, *label, label_offset, taken.labels));
  fields.Drop(label);
  const Feature* const box_label = example.Find(kBoxLabel);
  const auto only = SingleInt64(example, label);
  if (box_label != nullptr && only &&
      RepeatsLabel(example, *box_label, *only)) {
    fields.Drop(box_label);
  }
  return {};
}

void TakeTfds(const ExampleReader& example, TakenSample& taken,
              ExampleFields& fields) {
  Clear(taken);
  taken.key = TakeBytes(example, kTfdsFileName, fields);
  const auto label = TakeInt64(example, kTfdsLabel, fields);
  if (label) taken.labels.emplace_back(*label);
}

std::string_view LayoutOf(const ExampleReader& example) {
  const auto has = [&](std::string_view name) {
    return example.Find(name) != nullptr;
  };
  if (has(kEncoded) || has(kShardineKey)) return kImagenetLayout;
  const bool tfds = has(kImageField) && (has(kTfdsLabel) || has(kTfdsFileName));
  return tfds ? kTfdsLayout : kImagenetLayout;
}

}  // namespace shardine
