#include "tfrecord/tfds_metadata.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "base/status_macros.h"
#include "base/utf8.h"
#include "tfrecord/feature_names.h"

namespace shardine {
namespace {

// Names that its template can say: with the suffix, and without.
constexpr std::string_view kSuffixes[] = {".tfrecord", ""};
constexpr std::string_view kTemplates[] = {
    "{SPLIT}-{SHARD_X_OF_Y}.{FILEFORMAT}", "{SPLIT}-{SHARD_X_OF_Y}"};

constexpr std::string_view kModule = "tensorflow_datasets.core.features.";

// Whether the split's shards have the names that TensorFlow Datasets makes of
// that template.
bool HasNames(const DatasetFacts::Split& split, std::string_view suffix) {
  for (std::size_t i = 0; i < split.shards.size(); ++i) {
    std::array<char, 48> number = {};
    (void)std::snprintf(number.data(), number.size(), "-%05zu-of-%05zu", i,
                        split.shards.size());
    if (split.shards[i].path !=
        split.name + number.data() + std::string(suffix)) {
      return false;
    }
  }
  return true;
}

// The element of kTemplates; kUnsupported if no template fits all splits.
Result<std::string_view> TemplateOf(const DatasetFacts& facts) {
  for (std::size_t i = 0; i < std::size(kSuffixes); ++i) {
    const auto named = [&](const DatasetFacts::Split& split) {
      return HasNames(split, kSuffixes[i]);
    };
    if (std::ranges::all_of(facts.splits, named)) return kTemplates[i];
  }
  return Status(Code::kUnsupported,
                "TensorFlow Datasets finds shards by names like "
                "train-00000-of-00008.tfrecord, which these have not all")
      .At({.path = facts.directory});
}

// Proto3's JSON has 64-bit numbers as text.
std::string Quoted(std::uint64_t number) {
  return '"' + std::to_string(number) + '"';
}

std::string SplitJson(const DatasetFacts::Split& split,
                      std::string_view file_template) {
  std::string lengths;
  std::uint64_t bytes = 0;
  for (const DatasetFacts::Shard& shard : split.shards) {
    if (!lengths.empty()) lengths += ", ";
    lengths += Quoted(shard.samples);
    bytes += shard.bytes;
  }
  // A split's name is letters, digits and `_.-`: JSON needs no escapes.
  return "  {\n   \"name\": \"" + split.name +
         "\",\n   \"filepathTemplate\": \"" + std::string(file_template) +
         "\",\n   \"numBytes\": " + Quoted(bytes) +
         ",\n   \"shardLengths\": [" + lengths + "]\n  }";
}

std::string InfoJson(const DatasetFacts& facts, std::string_view file_template,
                     bool has_label) {
  std::string splits;
  for (const DatasetFacts::Split& split : facts.splits) {
    if (!splits.empty()) splits += ",\n";
    splits += SplitJson(split, file_template);
  }
  std::string text =
      "{\n \"name\": \"shardine\",\n \"version\": \"1.0.0\",\n"
      " \"fileFormat\": \"tfrecord\",\n \"splits\": [\n" +
      splits + "\n ]";
  if (has_label) {
    text +=
        ",\n \"supervisedKeys\": {\"tuple\": {\"items\": ["
        "{\"featureKey\": \"image\"}, {\"featureKey\": \"label\"}]}}";
  }
  return text + "\n}\n";
}

std::string FeatureText(std::string_view name, std::string_view python_class,
                        const std::string& content) {
  return "   \"" + std::string(name) + "\": {\"pythonClassName\": \"" +
         std::string(kModule) + std::string(python_class) + "\", " + content +
         "}";
}

// The feature of labels: a class label if classes have the numbers 0 to n - 1,
// else a plain number.
std::string LabelFeature(const DatasetFacts& facts) {
  if (facts.classes.empty() || facts.classes.front().label < 0) {
    return FeatureText(kTfdsLabel, "scalar.Scalar",
                       R"("tensor": {"shape": {}, "dtype": "int64", )"
                       R"("encoding": "none"})");
  }
  const auto count = static_cast<std::uint64_t>(facts.classes.back().label) + 1;
  return FeatureText(kTfdsLabel, "class_label_feature.ClassLabel",
                     "\"classLabel\": {\"numClasses\": " + Quoted(count) + "}");
}

std::string FeaturesJson(const DatasetFacts& facts, bool has_label) {
  std::string features =
      FeatureText(kTfdsFileName, "text_feature.Text", "\"text\": {}") + ",\n" +
      FeatureText(kImageField, "image_feature.Image",
                  R"("image": {"shape": {"dimensions": ["-1", "-1", "3"]}, )"
                  R"("dtype": "uint8"})");
  if (has_label) features += ",\n" + LabelFeature(facts);
  return "{\n \"pythonClassName\": \"" + std::string(kModule) +
         "features_dict.FeaturesDict\",\n \"featuresDict\": {\n"
         "  \"features\": {\n" +
         features + "\n  }\n }\n}\n";
}

// Would Python's strip() take something of it away, or split("\n") cut it?
bool IsLine(std::string_view name) {
  using namespace std::string_view_literals;
  static constexpr std::string_view kWhite[] = {
      "\xc2\x85"sv,     "\xc2\xa0"sv,     "\xe1\x9a\x80"sv, "\xe2\x80\x80"sv,
      "\xe2\x80\x81"sv, "\xe2\x80\x82"sv, "\xe2\x80\x83"sv, "\xe2\x80\x84"sv,
      "\xe2\x80\x85"sv, "\xe2\x80\x86"sv, "\xe2\x80\x87"sv, "\xe2\x80\x88"sv,
      "\xe2\x80\x89"sv, "\xe2\x80\x8a"sv, "\xe2\x80\xa8"sv, "\xe2\x80\xa9"sv,
      "\xe2\x80\xaf"sv, "\xe2\x81\x9f"sv, "\xe3\x80\x80"sv};
  const auto is_white = [](char c) { return c >= '\0' && c <= ' '; };
  if (name.empty() || !IsUtf8(name) ||
      name.find_first_of("\n\r"sv) != name.npos || is_white(name.front()) ||
      is_white(name.back())) {
    return false;
  }
  return std::ranges::none_of(kWhite, [&](std::string_view white) {
    return name.starts_with(white) || name.ends_with(white);
  });
}

// The names, one per line, the line's number being the class's; empty where a
// class does not fit this form.
std::string LabelNames(const DatasetFacts& facts) {
  std::string names;
  std::int64_t next = 0;
  for (const DatasetFacts::Class& info : facts.classes) {
    if (info.label != next++ || !IsLine(info.name)) return {};
    names += info.name + "\n";
  }
  return names;
}

}  // namespace

Status WriteTfdsMetadata(ReadableStorage& /*storage*/,
                         const DatasetFacts& facts, const LayoutChoice& layout,
                         MetadataSink& sink) {
  const auto parameters = layout.layout->parameters;
  // Layouts with other features have no such files.
  if (std::ranges::find(parameters, kMetadataParameter,
                        &LayoutParameter::name) == parameters.end() ||
      layout.value(kMetadataParameter) != kTfdsMetadata) {
    return Status();
  }
  SHARDINE_ASSIGN_OR_RETURN(const std::string_view file_template,
                            TemplateOf(facts));
  const bool has_label =
      std::ranges::any_of(facts.splits, [](const DatasetFacts::Split& split) {
        return split.unlabelled < split.samples;
      });
  SHARDINE_RETURN_IF_ERROR(sink.Begin("dataset_info.json"));
  SHARDINE_RETURN_IF_ERROR(
      sink.Append(InfoJson(facts, file_template, has_label)));
  SHARDINE_RETURN_IF_ERROR(sink.Begin("features.json"));
  SHARDINE_RETURN_IF_ERROR(sink.Append(FeaturesJson(facts, has_label)));
  const std::string names = has_label ? LabelNames(facts) : "";
  if (names.empty()) return Status();
  SHARDINE_RETURN_IF_ERROR(sink.Begin(kLabelNameFile));
  return sink.Append(names);
}

}  // namespace shardine
