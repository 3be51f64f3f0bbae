// The numbers of a shard's samples in the input dataset, as a plan file has
// them in front of their rows. Layout: tasks/FORMAT.md, "Rows".
#ifndef SHARDINE_TASKS_PLAN_NUMBERS_H_
#define SHARDINE_TASKS_PLAN_NUMBERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace shardine {

std::string EncodePlanNumbers(const std::vector<std::uint64_t>& numbers);

// Cuts `count` numbers from the front of `bytes` and adds them to `numbers`.
// False: there are not so many.
bool DecodePlanNumbers(ByteView& bytes, std::uint64_t count,
                       std::vector<std::uint64_t>& numbers);

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_NUMBERS_H_
