#include "report/card_head.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "report/card_text.h"
#include "report/hub_names.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

// "|u1" is "uint8"; empty: the hub has no such type.
std::string HubType(std::string_view dtype) {
  if (dtype.size() < 3) return {};
  static constexpr std::string_view kKinds = "iuf";
  static constexpr std::string_view kNames[] = {"int", "uint", "float"};
  const std::size_t kind = kKinds.find(dtype[1]);
  const std::string_view size = dtype.substr(2);
  if (kind == kKinds.npos || size.size() != 1 || size[0] > '8') return {};
  return std::string(kNames[kind]) + std::to_string(8 * (size[0] - '0'));
}

std::string Feature(std::string_view name, std::string_view type) {
  return "  - name: " + YamlText(name) + "\n    dtype: " + YamlText(type) +
         "\n";
}

std::string LabelFeature(const CardFacts& facts, std::string_view name) {
  const auto names = HubClassNames(facts.manifest().classes);
  if (names.empty()) return Feature(name, "int64");
  std::string yaml = "  - name: " + YamlText(name) +
                     "\n    dtype:\n      class_label:\n        names:\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    yaml +=
        "          \"" + std::to_string(i) + "\": " + YamlText(names[i]) + "\n";
  }
  return yaml;
}

std::string MemberFeatures(const CardFacts& facts) {
  std::string yaml;
  for (const PublicField& member : facts.members) {
    switch (member.kind) {
      case PublicField::Kind::kImage:
        yaml += Feature(member.name, "image");
        break;
      case PublicField::Kind::kText:
        yaml += Feature(member.name, "string");
        break;
      case PublicField::Kind::kLabel:
        yaml += LabelFeature(facts, member.name);
        break;
    }
  }
  return yaml + Feature("__key__", "string");
}

// The fields of samples in shards that the hub's library does not read.
std::string FieldFeatures(const CardFacts& facts) {
  const SplitContents all = facts.contents();
  const auto& texts = facts.manifest().text_fields;
  std::string yaml;
  for (const auto& [name, field] : all.fields) {
    if (name == kImageField) {
      yaml += Feature(name, "image");
    } else if (field.dtype == kBytesDtype) {
      const bool is_text = std::ranges::find(texts, name) != texts.end();
      yaml += Feature(name, is_text ? "string" : "binary");
    } else if (const std::string type = HubType(field.dtype);
               !type.empty() && field.has_one_rank && field.shape.empty()) {
      yaml += Feature(name, type);
    }
  }
  if (all.one_class > 0) yaml += LabelFeature(facts, "label");
  return yaml;
}

std::string Configs(const CardFacts& facts) {
  const auto& splits = facts.manifest().splits;
  const auto names = HubSplitNames(splits);
  std::string yaml = "configs:\n- config_name: \"default\"\n  data_files:\n";
  for (std::size_t i = 0; i < splits.size(); ++i) {
    std::set<std::string_view> own;
    for (const ManifestShard& shard : splits[i].shards) {
      own.insert(shard.file.path);
    }
    std::vector<std::string> others;
    for (const DigestedFile& file : facts.files) {
      if (!own.contains(file.path)) others.push_back(file.path);
    }
    yaml += "  - split: " + YamlText(names[i]) + "\n    path:\n";
    for (const std::string& pattern : ShardPatterns(splits[i], others)) {
      yaml += "    - " + YamlText(pattern) + "\n";
    }
  }
  return yaml;
}

std::string Splits(const Manifest& manifest) {
  const auto names = HubSplitNames(manifest.splits);
  std::string yaml = "  splits:\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    yaml +=
        "  - name: " + YamlText(names[i]) +
        "\n    num_bytes: " + std::to_string(manifest.splits[i].shard_bytes()) +
        "\n    num_examples: " + std::to_string(manifest.splits[i].samples) +
        "\n";
  }
  return yaml;
}

}  // namespace

std::string CardHead(const CardFacts& facts) {
  const Manifest& manifest = facts.manifest();
  std::string yaml = "---\npretty_name: " + YamlText(facts.name) + "\n";
  if (!facts.license.empty()) {
    yaml += "license: " + YamlText(facts.license) + "\n";
  }
  yaml += "size_categories:\n- " + YamlText(SizeCategory(manifest.samples())) +
          "\n";
  if (facts.is_classified()) {
    yaml += "task_categories:\n- \"image-classification\"\n";
  }
  if (facts.is_archive()) yaml += Configs(facts);
  const std::string features =
      facts.is_archive() ? MemberFeatures(facts) : FieldFeatures(facts);
  yaml += "dataset_info:\n  features:";
  yaml += features.empty() ? " []\n" : "\n" + features;
  const std::string bytes = std::to_string(manifest.shard_bytes());
  return yaml + Splits(manifest) + "  download_size: " + bytes +
         "\n  dataset_size: " + bytes + "\n---\n";
}

}  // namespace shardine
