#include "tfrecord/tfrecord_layout.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/status_macros.h"
#include "tfrecord/feature_names.h"

namespace shardine {
namespace {

// The features of a record that may be the layout's: not those that its writer
// has marked as fields.
class LayoutFeatures {
 public:
  LayoutFeatures(const ExampleReader& example, ExampleFields& fields)
      : example_(&example), fields_(&fields) {
    const Feature* const marks = example.Find(kShardineFields);
    if (marks == nullptr || marks->kind != FeatureKind::kBytes) return;
    marked_ = example.chunks(*marks);
    fields.Drop(marks);
  }

  const Feature* Find(std::string_view name) const {
    const bool marked =
        std::ranges::find(marked_, name, AsText) != marked_.end();
    return marked ? nullptr : example_->Find(name);
  }

  // Drops the feature if it is one text, and returns that. A feature of another
  // kind stays a field, so that nothing of a foreign record is lost in silence.
  std::optional<std::string_view> TakeBytes(std::string_view name) {
    const Feature* const feature = Find(name);
    const auto value = SingleBytes(*example_, feature);
    if (value) fields_->Drop(feature);
    return value;
  }

  std::optional<std::int64_t> TakeInt64(std::string_view name) {
    const Feature* const feature = Find(name);
    const auto value = SingleInt64(*example_, feature);
    if (value) fields_->Drop(feature);
    return value;
  }

 private:
  const ExampleReader* example_;
  ExampleFields* fields_;
  std::span<const ByteView> marked_;
};

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

// `folder`: the class, as if the file lay in its folder.
void TakeName(LayoutFeatures& features, std::string_view folder,
              TakenSample& taken) {
  const auto filename = features.TakeBytes(kFilename);
  taken.key = features.TakeBytes(kShardineKey);
  if (taken.key || !filename) return;
  taken.key = filename;
  if (folder.empty()) return;
  taken.made_key.assign(folder).append("/").append(*filename);
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
  // The other layout counts from 0.
  if (choice.layout == nullptr || choice.layout->name != kImagenetLayout) {
    return 0;
  }
  return choice.value(kLabelOffset) == "1" ? 1 : 0;
}

Status TakeImagenet(const ExampleReader& example, std::int64_t label_offset,
                    const FieldRoles& roles, TakenSample& taken,
                    ExampleFields& fields) {
  Clear(taken);
  // Names like image/height are common. A record belongs to this layout if it
  // has one of the two.
  if (example.Find(kEncoded) == nullptr &&
      example.Find(kShardineKey) == nullptr) {
    return {};
  }
  fields.KeepEmpty();
  LayoutFeatures features(example, fields);
  const Feature* const encoded = features.Find(kEncoded);
  if (roles.image.empty() && SingleBytes(example, encoded)) {
    fields.Rename(encoded, kImageField);
  }
  for (const std::string_view name : {kHeight, kWidth, kChannels}) {
    features.TakeInt64(name);
  }
  for (const std::string_view name : {kColorspace, kImageFormat}) {
    features.TakeBytes(name);
  }
  const Feature* const label =
      roles.label.empty() ? features.Find(kClassLabel) : nullptr;
  const auto only = SingleInt64(example, label);
  const auto folder = SingleBytes(example, features.Find(kSynset));
  // Name and text belong to one class. Beside no label or several they have no
  // owner, so they stay fields.
  if (only) {
    taken.class_name = features.TakeBytes(kSynset).value_or("");
    taken.class_text = features.TakeBytes(kClassText).value_or("");
  }
  if (roles.key.empty()) {
    TakeName(features, folder.value_or(""), taken);
  } else if (roles.key != kShardineKey) {
    features.TakeBytes(kShardineKey);
  }
  if (const auto id = features.TakeInt64(kShardineId)) {
    taken.id = static_cast<std::uint64_t>(*id);
  }
  // A label of another kind, such as a text, stays a field, and so does a list
  // of none. The boxes' label is then a field too, since nothing can be
  // repeated in it.
  if (label == nullptr || label->kind != FeatureKind::kInt64 ||
      label->values == 0) {
    return {};
  }
  SHARDINE_RETURN_IF_ERROR(
      AddLabels(example, *label, label_offset, taken.labels));
  fields.Drop(label);
  const Feature* const box_label = features.Find(kBoxLabel);
  if (box_label != nullptr && only &&
      RepeatsLabel(example, *box_label, *only)) {
    fields.Drop(box_label);
  }
  return {};
}

void TakeTfds(const ExampleReader& example, const FieldRoles& roles,
              TakenSample& taken, ExampleFields& fields) {
  Clear(taken);
  fields.KeepEmpty();
  LayoutFeatures features(example, fields);
  if (roles.key.empty()) taken.key = features.TakeBytes(kTfdsFileName);
  if (!roles.label.empty()) return;
  const auto label = features.TakeInt64(kTfdsLabel);
  if (label) taken.labels.emplace_back(*label);
}

std::string_view LayoutOf(const ExampleReader& example) {
  const auto has = [&](std::string_view name) {
    return example.Find(name) != nullptr;
  };
  if (has(kEncoded) || has(kShardineKey)) return kImagenetLayout;
  // The other layout would give the image another name when it is converted.
  const bool tfds = SingleBytes(example, example.Find(kImageField)).has_value();
  return tfds ? kTfdsLayout : kImagenetLayout;
}

}  // namespace shardine
