#include "tfrecord/sample_features.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "base/utf8.h"
#include "image/image_facts.h"
#include "shard/format.h"
#include "shardine/escape.h"
#include "tfrecord/feature_names.h"

namespace shardine {
namespace {

Status Refuse(const FieldView& field, const std::string& why) {
  return Status(Code::kUnsupported,
                "field \"" + EscapeBytes(field.name) + "\": " + why);
}

bool IsFloatList(const FieldView& field) {
  return field.dtype == kFloatDtype && field.shape.size() == 1;
}
bool IsPlain(const FieldView& field) {
  return field.dtype == kBytesDtype && field.shape.empty();
}

// A sample has its fields by ascending name, which the search relies on.
const FieldView* FindField(const SampleView& sample, std::string_view name) {
  const auto found =
      std::ranges::lower_bound(sample.fields, name, {}, &FieldView::name);
  const bool is = found != sample.fields.end() && found->name == name;
  return is ? &*found : nullptr;
}

Status CheckField(const SampleView& sample, const FieldView& field) {
  if (!IsUtf8(field.name)) {
    return Refuse(field,
                  "a feature of a name that is not UTF-8 makes "
                  "TensorFlow refuse the record");
  }
  if (IsPlain(field)) return {};
  if (!DescribesArray(field.dtype, field.shape, field.bytes.size())) {
    return Refuse(field, "dtype \"" + EscapeBytes(field.dtype) +
                             "\" and shape do not describe its " +
                             std::to_string(field.bytes.size()) + " bytes");
  }
  if (IsFloatList(field)) return {};
  // An array writes its dtype and shape as features beside it. A field of such
  // a name would be taken for them when the record is read.
  std::string name(field.name);
  for (const std::string_view suffix : {kDtypeSuffix, kShapeSuffix}) {
    name.resize(field.name.size());
    name += suffix;
    if (FindField(sample, name) == nullptr) continue;
    return Refuse(field, "its feature \"" + EscapeBytes(name) +
                             "\" has the name of another field");
  }
  return {};
}

bool IsImagenetName(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      kEncoded,     kHeight,   kWidth,      kChannels, kColorspace,
      kImageFormat, kFilename, kClassLabel, kSynset,   kClassText};
  return name.starts_with(kShardinePrefix) ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

bool IsTfdsName(std::string_view name) {
  return name == kTfdsLabel || name == kTfdsFileName;
}

// Of two features of one name readers take the last, so a field must not have a
// name that the layout writes itself.
template <typename IsReserved>
Status CheckFields(const SampleView& sample, IsReserved is_reserved) {
  for (const FieldView& field : sample.fields) {
    if (is_reserved(field.name)) {
      return Refuse(field, "the layout has a feature of that name");
    }
    SHARDINE_RETURN_IF_ERROR(CheckField(sample, field));
  }
  return {};
}

void AddField(const FieldView& field, std::string_view name,
              ExampleWriter& example) {
  if (IsFloatList(field)) return example.AddFloatPayload(name, field.bytes);
  if (!IsPlain(field)) {
    std::string feature(name);
    example.AddBytes(feature.append(kDtypeSuffix), field.dtype);
    feature.resize(name.size());
    const std::vector<std::int64_t> shape(field.shape.begin(),
                                          field.shape.end());
    example.AddInt64s(feature.append(kShapeSuffix), shape);
  }
  example.AddBytesPayload(name, field.bytes);
}

// The words are spelled as in the sets that ImageNet's layout comes from. Those
// have no word for a kind for which this is empty.
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
    default:
      return {};
  }
}

std::string_view ColorspaceWord(const ImageFacts& facts) {
  const bool png = facts.kind == ImageKind::kPng;
  switch (facts.components) {
    case 1:
      return "Grayscale";
    case 2:
      return png ? "GrayscaleAlpha" : "";
    case 3:
      return "RGB";
    case 4:
      return png ? "RGBA" : "CMYK";
    default:
      return {};
  }
}

void AddFacts(const ImageFacts& facts, ExampleWriter& example) {
  const std::string_view format = FormatWord(facts.kind);
  if (!format.empty()) example.AddBytes(kImageFormat, format);
  if (facts.width == 0 || facts.height == 0) return;
  example.AddInt64(kHeight, facts.height);
  example.AddInt64(kWidth, facts.width);
  if (facts.components == 0) return;
  example.AddInt64(kChannels, facts.components);
  const std::string_view colorspace = ColorspaceWord(facts);
  if (!colorspace.empty()) example.AddBytes(kColorspace, colorspace);
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
                 ExampleWriter& example) {
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
  if (values.size() > 1 || FindField(sample, kBoxLabel) != nullptr) return {};
  if (const auto boxes = CountBoxes(sample)) {
    values.resize(static_cast<std::size_t>(*boxes), values[0]);
    example.AddInt64s(kBoxLabel, values);
  }
  return {};
}

}  // namespace

Status CheckImagenetFields(const SampleView& sample) {
  return CheckFields(sample, IsImagenetName);
}

Status CheckTfdsFields(const SampleView& sample) {
  return CheckFields(sample, IsTfdsName);
}

Status AddImagenetFeatures(const SampleView& sample, std::int64_t label_offset,
                           ExampleWriter& example) {
  SHARDINE_RETURN_IF_ERROR(AddLabels(sample, label_offset, example));
  const std::string_view key = sample.key;
  example.AddBytes(kShardineKey, key);
  example.AddInt64(kShardineId, static_cast<std::int64_t>(sample.id));
  example.AddBytes(kFilename, key.substr(key.rfind('/') + 1));
  if (!sample.class_name.empty()) example.AddBytes(kSynset, sample.class_name);
  if (!sample.class_text.empty()) {
    example.AddBytes(kClassText, sample.class_text);
  }
  for (const FieldView& field : sample.fields) {
    const bool encoded = field.name == kImageField && IsPlain(field);
    if (encoded && sample.facts != nullptr) AddFacts(*sample.facts, example);
    AddField(field, encoded ? kEncoded : field.name, example);
  }
  return {};
}

void AddTfdsFeatures(const SampleView& sample, ExampleWriter& example) {
  example.AddBytes(kTfdsFileName, sample.key);
  if (!sample.labels.empty()) {
    example.AddInt64(
        kTfdsLabel,
        RoundToLabelType(sample.labels[0], LabelType::kInt64).integer());
  }
  for (const FieldView& field : sample.fields) {
    AddField(field, field.name, example);
  }
}

}  // namespace shardine
