// The fields of a verification in a plan's head. Layout: tasks/FORMAT.md, "The
// head of a verification".
#ifndef SHARDINE_TASKS_VERIFY_HEAD_H_
#define SHARDINE_TASKS_VERIFY_HEAD_H_

#include <string>
#include <vector>

#include "base/bytes.h"
#include "tasks/plan_fields.h"
#include "tasks/plan_head.h"
#include "tasks/verify_part.h"

namespace shardine {

void WriteVerifyHead(const PlanHead& head, FieldWriter& fields);
// False: no plan of this program has such values. The splits of the plan's
// table are the members then, by path.
bool ReadVerifyHead(FieldReader& fields, PlanHead& head);

// The rows of a shard: facts of its file and of its companions, in the order of
// the manifest.
std::string EncodeFacts(const std::vector<FileFacts>& facts);
// False: these are none.
bool DecodeFacts(ByteView bytes, std::vector<FileFacts>& facts);

}  // namespace shardine

#endif  // SHARDINE_TASKS_VERIFY_HEAD_H_
