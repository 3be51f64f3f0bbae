// The part of a plan's head that plans of conversions and resizes have: the
// dataset to be made, then the inputs that are read for it. Layout:
// tasks/FORMAT.md, "The input".
#ifndef SHARDINE_TASKS_CONVERSION_HEAD_H_
#define SHARDINE_TASKS_CONVERSION_HEAD_H_

#include "tasks/plan_fields.h"
#include "tasks/plan_head.h"

namespace shardine {

void WriteConversionHead(const PlanHead& head, FieldWriter& fields);
// False: no plan of this program has such values.
bool ReadConversionHead(FieldReader& fields, PlanHead& head);

}  // namespace shardine

#endif  // SHARDINE_TASKS_CONVERSION_HEAD_H_
