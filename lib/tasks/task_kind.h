// Which verb's work the tasks of a plan do. The numbers stand in plans.
#ifndef SHARDINE_TASKS_TASK_KIND_H_
#define SHARDINE_TASKS_TASK_KIND_H_

#include <cstdint>

namespace shardine {

enum class TaskKind : std::uint8_t { kPack, kConvert, kResize, kVerify };

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_KIND_H_
