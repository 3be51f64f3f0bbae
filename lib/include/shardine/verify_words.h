// The words for the options and findings of verify and diff.
#ifndef SHARDINE_VERIFY_WORDS_H_
#define SHARDINE_VERIFY_WORDS_H_

#include "shardine/diff.h"
#include "shardine/verify.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<VerifyLevel> {
  static constexpr EnumWord<VerifyLevel> kWords[] = {
      {VerifyLevel::kQuick, "quick"},
      {VerifyLevel::kFull, "full"},
      {VerifyLevel::kDeep, "deep"}};
};

template <>
struct EnumWords<DifferenceKind> {
  static constexpr EnumWord<DifferenceKind> kWords[] = {
      {DifferenceKind::kAdded, "added"},
      {DifferenceKind::kRemoved, "removed"},
      {DifferenceKind::kChanged, "changed"},
      {DifferenceKind::kRelabelled, "relabelled"},
      {DifferenceKind::kRenamed, "renamed"}};
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_WORDS_H_
