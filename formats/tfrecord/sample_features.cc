#include "tfrecord/sample_features.h"

#include <limits>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "image/image_facts.h"
#include "shard/format.h"
#include "tfrecord/feature_names.h"

namespace shardine {
namespace {

// A sample's own field comes before the optional feature of its name.
constexpr std::string_view kImagenetNames[] = {
    kEncoded,     kHeight,   kWidth,      kChannels, kColorspace,
    kImageFormat, kFilename, kClassLabel, kSynset,   kClassText};

bool HasEncodedImage(const SampleView& sample) {
  const FieldView* const image = FindField(sample, kImageField);
  return image != nullptr && IsPlain(*image);
}

// The words are spelled as in the sets that ImageNet's layout comes from. Empty
// for a kind for which these sets have no word.
std::string_view FormatWord(ImageKind kind) {
  switch (kind) {
    case ImageKind::kJpeg:
      return "JPEG";
    case ImageKind::kPng:
      return "PNG";
    case ImageKind::kWebp:
      return "WEBP";
    case ImageKind::kGif:
      return "GIF";
    case ImageKind::kBmp:
      return "BMP";
    case ImageKind::kTiff:
      return "TIFF";
    case ImageKind::kHeic:
      return "HEIC";
    case ImageKind::kAvif:
      return "AVIF";
    default:
      return {};
  }
}

std::string_view ColorspaceWord(const ImageFacts& facts) {
  const bool png = facts.kind == ImageKind::kPng;
  const bool jpeg = facts.kind == ImageKind::kJpeg;
  switch (facts.components) {
    case 1:
      return "Grayscale";
    case 2:
      return png ? "GrayscaleAlpha" : "";
    case 3:
      return "RGB";
    case 4:
      return jpeg ? "CMYK" : "RGBA";
    default:
      return {};
  }
}

void AddText(std::string_view name, std::string_view text,
             const FieldFeatures& fields, ExampleWriter& example) {
  if (text.empty() || fields.Find(name) != nullptr) return;
  example.AddBytes(name, text);
}

void AddFacts(const ImageFacts& facts, const FieldFeatures& fields,
              ExampleWriter& example) {
  const auto add = [&](std::string_view name, std::int64_t value) {
    if (fields.Find(name) == nullptr) example.AddInt64(name, value);
  };
  AddText(kImageFormat, FormatWord(facts.kind), fields, example);
  if (facts.width == 0 || facts.height == 0) return;
  add(kHeight, facts.height);
  add(kWidth, facts.width);
  if (facts.components == 0) return;
  add(kChannels, facts.components);
  AddText(kColorspace, ColorspaceWord(facts), fields, example);
}

// The number of boxes, if each side is there for all of them.
std::optional<std::uint64_t> CountBoxes(const SampleView& sample) {
  std::optional<std::uint64_t> count;
  for (const std::string_view name : kBoxes) {
    const FieldView* const side = FindField(sample, name);
    if (side == nullptr || !IsFloatList(*side)) return std::nullopt;
    if (count && *count != side->shape[0]) return std::nullopt;
    count = side->shape[0];
  }
  return count;
}

Status AddLabels(const SampleView& sample, std::int64_t offset,
                 const FieldFeatures& fields, ExampleWriter& example) {
  std::vector<std::int64_t> values;
  for (const Label& label : sample.labels) {
    const std::int64_t value =
        RoundToLabelType(label, LabelType::kInt64).integer();
    if (value > std::numeric_limits<std::int64_t>::max() - offset) {
      return Status(Code::kUnsupported, "label " + std::to_string(value) +
                                            " does not fit with label_offset=" +
                                            std::to_string(offset));
    }
    values.push_back(value + offset);
  }
  if (values.empty()) return {};
  example.AddInt64s(kClassLabel, values);
  // The sets with boxes say the label once per box. A field of that name says
  // something else, which comes first.
  if (values.size() > 1 || fields.Find(kBoxLabel) != nullptr) return {};
  if (const auto boxes = CountBoxes(sample)) {
    values.resize(static_cast<std::size_t>(*boxes), values[0]);
    example.AddInt64s(kBoxLabel, values);
  }
  return {};
}

// A reader would take a field of such a name for the layout's own feature
// unless it is marked.
void MarkFields(const SampleView& sample, const FieldFeatures& fields,
                ExampleWriter& example) {
  std::vector<std::string_view> marked;
  for (const std::string_view name : kImagenetNames) {
    if (fields.Find(name) != nullptr) marked.push_back(name);
  }
  const FieldFeatures::Planned* const box_label = fields.Find(kBoxLabel);
  if (box_label != nullptr && box_label->kind == FieldFeatures::Kind::kInt64s &&
      sample.labels.size() == 1 && CountBoxes(sample)) {
    marked.push_back(kBoxLabel);
  }
  if (!marked.empty()) example.AddTexts(kShardineFields, marked);
}

}  // namespace

Status PlanImagenetFields(const SampleView& sample, FieldFeatures& fields) {
  std::vector<std::string_view> own;
  if (HasEncodedImage(sample)) own.push_back(kEncoded);
  if (!sample.labels.empty()) own.push_back(kClassLabel);
  return fields.Plan(sample, own);
}

Status PlanTfdsFields(const SampleView& sample, FieldFeatures& fields) {
  std::vector<std::string_view> own = {kTfdsFileName};
  if (!sample.labels.empty()) own.push_back(kTfdsLabel);
  return fields.Plan(sample, own);
}

Status AddImagenetFeatures(const SampleView& sample, std::int64_t label_offset,
                           const FieldFeatures& fields,
                           ExampleWriter& example) {
  SHARDINE_RETURN_IF_ERROR(AddLabels(sample, label_offset, fields, example));
  const std::string_view key = sample.key;
  example.AddBytes(kShardineKey, key);
  example.AddInt64(kShardineId, static_cast<std::int64_t>(sample.id));
  if (fields.Find(kFilename) == nullptr) {
    example.AddBytes(kFilename, key.substr(key.rfind('/') + 1));
  }
  AddText(kSynset, sample.class_name, fields, example);
  AddText(kClassText, sample.class_text, fields, example);
  for (const FieldFeatures::Planned& planned : fields.planned()) {
    const bool encoded = planned.name == kImageField &&
                         planned.kind == FieldFeatures::Kind::kText;
    if (encoded && sample.facts != nullptr) {
      AddFacts(*sample.facts, fields, example);
    }
    fields.Add(planned, encoded ? kEncoded : planned.name, example);
  }
  MarkFields(sample, fields, example);
  return {};
}

void AddTfdsFeatures(const SampleView& sample, const FieldFeatures& fields,
                     ExampleWriter& example) {
  example.AddBytes(kTfdsFileName, sample.key);
  if (!sample.labels.empty()) {
    example.AddInt64(
        kTfdsLabel,
        RoundToLabelType(sample.labels[0], LabelType::kInt64).integer());
  } else if (fields.Find(kTfdsLabel) != nullptr) {
    example.AddTexts(kShardineFields, {{kTfdsLabel}});
  }
  for (const FieldFeatures::Planned& planned : fields.planned()) {
    fields.Add(planned, planned.name, example);
  }
}

}  // namespace shardine
