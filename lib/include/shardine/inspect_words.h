// The words for the options of looking into datasets.
#ifndef SHARDINE_INSPECT_WORDS_H_
#define SHARDINE_INSPECT_WORDS_H_

#include "shardine/inspect.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<ExtractNames> {
  static constexpr EnumWord<ExtractNames> kWords[] = {
      {ExtractNames::kKey, "key"},
      {ExtractNames::kId, "id"},
      {ExtractNames::kClassId, "class/id"}};
};

}  // namespace shardine

#endif  // SHARDINE_INSPECT_WORDS_H_
