// The words for the types of options.
#ifndef SHARDINE_OPTION_WORDS_H_
#define SHARDINE_OPTION_WORDS_H_

#include "shardine/option.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<OptionKind> {
  static constexpr EnumWord<OptionKind> kWords[] = {
      {OptionKind::kFlag, "flag"},      {OptionKind::kText, "text"},
      {OptionKind::kPath, "path"},      {OptionKind::kWord, "word"},
      {OptionKind::kNumber, "number"},  {OptionKind::kInteger, "integer"},
      {OptionKind::kByteSize, "size"},  {OptionKind::kNames, "names"},
      {OptionKind::kSizes, "sizes"},    {OptionKind::kShares, "shares"},
      {OptionKind::kSplits, "splits"},  {OptionKind::kFiles, "files"},
      {OptionKind::kSources, "sources"}};
};

}  // namespace shardine

#endif  // SHARDINE_OPTION_WORDS_H_
