// The words for the findings of an audit.
#ifndef SHARDINE_AUDIT_WORDS_H_
#define SHARDINE_AUDIT_WORDS_H_

#include "shardine/audit.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<AuditFinding> {
  static constexpr EnumWord<AuditFinding> kWords[] = {
      {AuditFinding::kLeakage, "leakage"},
      {AuditFinding::kLabelConflict, "label-conflict"},
      {AuditFinding::kDuplicate, "duplicate"},
      {AuditFinding::kDark, "dark"},
      {AuditFinding::kLight, "light"},
      {AuditFinding::kOddAspectRatio, "odd_aspect_ratio"},
      {AuditFinding::kLowInformation, "low_information"},
      {AuditFinding::kBlurry, "blurry"},
      {AuditFinding::kGrayscale, "grayscale"},
      {AuditFinding::kOddSize, "odd_size"}};
};

template <>
struct EnumWords<CopyKind> {
  static constexpr EnumWord<CopyKind> kWords[] = {{CopyKind::kBytes, "bytes"},
                                                  {CopyKind::kPixels, "pixels"},
                                                  {CopyKind::kNear, "near"}};
};

}  // namespace shardine

#endif  // SHARDINE_AUDIT_WORDS_H_
