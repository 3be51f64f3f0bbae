// The part of a plan's head that plans of tasks that make a dataset have.
// Layout: tasks/FORMAT.md, "The head of a dataset to be made".
#ifndef SHARDINE_TASKS_DATASET_HEAD_H_
#define SHARDINE_TASKS_DATASET_HEAD_H_

#include "tasks/plan_fields.h"
#include "tasks/plan_head.h"

namespace shardine {

void WriteDatasetHead(const PlanHead& head, FieldWriter& fields);
// False: no plan of this program has such values.
bool ReadDatasetHead(FieldReader& fields, PlanHead& head);

}  // namespace shardine

#endif  // SHARDINE_TASKS_DATASET_HEAD_H_
