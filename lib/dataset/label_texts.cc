#include "dataset/label_texts.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "shard/field_label.h"

namespace shardine {
namespace {

// More are captions, or keys.
constexpr std::size_t kMostTexts = 100'000;
constexpr std::size_t kMostTextBytes = 4096;

}  // namespace

Status CollectLabelTexts(const RandomAccessFile& file, FormatAndLayout format,
                         bool skips_bad, const std::stop_token& stop,
                         ShardLabels& labels) {
  LabelTexts& texts = labels.texts;
  format.roles.needs_label = true;
  format.roles.text_label = TextLabel::kAsIs;
  format.roles.classes.clear();
  // The names of other fields are looked at when the samples are scanned.
  format.roles.fields.emplace();
  SHARDINE_ASSIGN_OR_RETURN(const auto scanner, format.OpenScanner(file));
  for (;;) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const auto sample = scanner->Next();
    if (!sample.ok()) {
      if (sample.status().code() == Code::kInvalidArgument) {
        labels.lacking = Status(sample.status()).At({.path = file.path()});
        return {};
      }
      if (!skips_bad || sample.status().code() != Code::kCorrupt) {
        return sample.status();
      }
      if (!scanner->SkipDamaged()) return {};
      continue;
    }
    if (!*sample || !(*sample)->labels.empty()) return {};
    const std::string_view text = (*sample)->class_name;
    if (text.empty() || texts.contains(text)) continue;
    if (texts.size() == kMostTexts || text.size() > kMostTextBytes) {
      return Status(Code::kUnsupported,
                    "the label " + ShowName(format.roles.label) +
                        " has texts that are no classes: more than " +
                        std::to_string(kMostTexts) + ", or one of more than " +
                        std::to_string(kMostTextBytes) + " bytes");
    }
    texts.emplace(text);
  }
}

Result<LabelTexts> JoinLabels(std::vector<ShardLabels> shards) {
  const auto has_label = [](const ShardLabels& shard) {
    return shard.lacking.ok();
  };
  if (!shards.empty() && std::ranges::none_of(shards, has_label)) {
    return shards.front().lacking;
  }
  LabelTexts texts;
  for (ShardLabels& shard : shards) texts.merge(shard.texts);
  return texts;
}

Status NumberLabels(const LabelTexts& texts, const ClassMap& named,
                    ReadRoles& roles) {
  const bool are_numbers = std::ranges::all_of(
      texts,
      [](const std::string& text) { return LabelOfText(text).has_value(); });
  roles.text_label = are_numbers ? TextLabel::kNumber : TextLabel::kClass;
  roles.classes.clear();
  if (are_numbers) return {};
  std::int64_t next = 0;
  for (const ClassInfo& info : named) {
    roles.classes.emplace(info.name, info.label);
  }
  for (const std::string& text : texts) {
    if (named.empty()) {
      roles.classes.emplace(text, next++);
    } else if (!roles.classes.contains(text)) {
      return Status(Code::kInvalidArgument,
                    "names no class " + ShowName(text) +
                        ", which is the label of a record");
    }
  }
  return {};
}

}  // namespace shardine
