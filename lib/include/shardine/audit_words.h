// The words for what an audit finds.
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
      {AuditFinding::kDuplicate, "duplicate"}};
};

}  // namespace shardine

#endif  // SHARDINE_AUDIT_WORDS_H_
