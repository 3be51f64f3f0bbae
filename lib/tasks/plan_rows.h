// The samples of one shard as a plan file has them: columns of numbers, cut
// into planes of bytes of the same weight, which compress well. Layout:
// tasks/FORMAT.md, "Rows".
#ifndef SHARDINE_TASKS_PLAN_ROWS_H_
#define SHARDINE_TASKS_PLAN_ROWS_H_

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "source/shard_plan.h"
#include "source/source_set.h"

namespace shardine {

std::string EncodePlanRows(const ShardPlan& plan, const PlannedShard& shard);

// The kind of samples: files, whose paths lie below a folder, or records, whose
// keys may be anything and which have no paths and boxes.
enum class RowsOf : std::uint8_t { kFiles, kRecords };

// Adds `count` samples to `source`, in the order of their shard, which is of
// that split. False: these are not so many rows, or one of them is impossible,
// such as a path that leaves its folder; `source` has some of them then.
// REQUIRES: the split is one of `source`.
bool DecodePlanRows(ByteView bytes, std::uint64_t count, std::uint32_t split,
                    SourceSet& source, RowsOf of = RowsOf::kFiles);

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_ROWS_H_
