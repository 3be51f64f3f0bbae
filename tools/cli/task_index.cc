#include "cli/task_index.h"

#include "shardine/escape.h"
#include "shardine/option.h"

namespace shardine {
namespace {

struct Names {
  const char* index;
  const char* of;  // null: nothing says it
};

constexpr Names kNames[] = {
    {"JOB_COMPLETION_INDEX", nullptr},
    {"AWS_BATCH_JOB_ARRAY_INDEX", nullptr},
    {"SLURM_ARRAY_TASK_ID", nullptr},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};

Result<std::uint64_t> NumberOf(const char* name, const char* text) {
  std::uint64_t number = 0;
  if (NumberValue(number).set(text).ok()) return number;
  return Status(
      Code::kInvalidArgument,
      std::string(name) + " is \"" + EscapeBytes(text) + "\" and no number");
}

}  // namespace

Result<TaskIndex> FindTaskIndex(
    const std::function<const char*(const char*)>& variable) {
  for (const Names& names : kNames) {
    const char* const index = variable(names.index);
    if (index == nullptr) continue;
    TaskIndex found;
    const auto number = NumberOf(names.index, index);
    if (!number.ok()) return number.status();
    found.index = *number;
    const char* const of = names.of == nullptr ? nullptr : variable(names.of);
    if (of == nullptr) return found;
    const auto count = NumberOf(names.of, of);
    if (!count.ok()) return count.status();
    found.of = *count;
    return found;
  }
  std::string list;
  for (const Names& names : kNames) {
    list += (list.empty() ? "" : ", ") + std::string(names.index);
  }
  return Status(Code::kInvalidArgument,
                "--index-from-env finds none of these set: " + list);
}

}  // namespace shardine
