// Parts that the descriptions of several verbs' options have in common.
#ifndef SHARDINE_PACK_OPTION_PARTS_H_
#define SHARDINE_PACK_OPTION_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/entry_points.h"
#include "shardine/image.h"
#include "shardine/image_check.h"
#include "shardine/option.h"
#include "shardine/recode.h"
#include "shardine/source.h"

namespace shardine {

// Titles in the help.
inline constexpr char kSourceGroup[] = "Source";
inline constexpr char kSampleGroup[] = "Samples";
inline constexpr char kShardGroup[] = "Shards";
inline constexpr char kImageGroup[] = "Images";

using OptionRules = std::vector<OptionRule>;

// `holds`: `option` has the value that the rule is about.
OptionRule Needs(bool holds, const char* option, const char* value = "");
OptionRule NotBeside(const char* option, bool is_given);

std::string SharesText(const std::vector<SourceOptions::SplitShare>& shares);
OptionValue SharesValue(std::vector<SourceOptions::SplitShare>& shares);
// The seed of the order and of the source's splits.
OptionValue SeedValue(std::uint64_t& seed, SourceOptions& source);

// Each appends to `to`. The rules are those of all of them, but for the options
// of the source that trees of files have, too.
void AddSource(SourceOptions& source, const OptionRules& rules, OptionList& to);
// How shares are cut; no effect without `shares`.
void AddSplitRule(SplitRule& rule,
                  const std::vector<SourceOptions::SplitShare>& shares,
                  const char* group, const OptionRules& rules, OptionList& to);
void AddImages(ImageOptions& image, const char* group, const OptionRules& rules,
               OptionList& to);
// `encodes`: another option has images encoded, too.
void AddRecode(RecodeOptions& recode, bool encodes, const OptionRules& rules,
               OptionList& to);
struct ShardSizeHelp {
  const char* shards;
  const char* size;
};
void AddShardSizes(std::uint64_t& shards, std::uint64_t& bytes,
                   const char* group, const ShardSizeHelp& help,
                   const OptionRules& rules, OptionList& to);
void AddSpaceCheck(bool& value, OptionList& to);
void AddReplace(bool& value, const OptionRules& rules, OptionList& to);
// The option that has an effect on replacements alone.
void AddDryRun(bool& value, bool replaces, const OptionRules& rules,
               OptionList& to);

Option FormatOption(std::string& format, const char* group, const char* help);
Option NoSuffix(bool& value);
Option LossyLabels(bool& value, const char* group);
Option EntryPointOption(EntryPoints& value, const char* group);
Option OnBadOption(OnBad& value, const char* help);
Option DropKeysOption(std::string& path);

}  // namespace shardine

#endif  // SHARDINE_PACK_OPTION_PARTS_H_
