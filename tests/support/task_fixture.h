// Fixture of tests of tasks: plans in memory, and the output of pack for the
// same.
#ifndef SHARDINE_TESTS_SUPPORT_TASK_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_TASK_FIXTURE_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shardine/pack.h"
#include "shardine/tasks.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine {

inline constexpr char kPlan[] = "plan";

// One shard a task, whatever their sizes.
inline TaskPlanOptions TasksOf(const PackOptions& pack) {
  return {.pack = pack, .plan = kPlan, .task_bytes = 1};
}

inline Status Plan(Storage& storage, const TaskPlanOptions& options) {
  return PlanTasks(options, {.storage = &storage}).status();
}

inline Status RunSome(Storage& storage,
                      const std::vector<std::uint64_t>& tasks) {
  return RunTasks({.plan = kPlan, .tasks = tasks, .threads = 2},
                  {.storage = &storage})
      .status();
}

// Also requires that nothing is missing.
inline Status FinalizeAll(Storage& storage, double proved_percent = 0) {
  const auto done = FinalizeTasks(
      {.plan = kPlan, .proved_percent = proved_percent}, {.storage = &storage});
  if (!done.ok()) return done.status();
  if (done->missing.empty()) return Status();
  return Status(Code::kFailed, "missing " + TaskListText(done->missing) + ": " +
                                   done->first_missing);
}

// OUT as pack makes it.
inline Snapshot Packed(Storage& storage, const PackOptions& pack) {
  PackOptions options = pack;
  const std::string output = options.output;
  options.output = "packed";
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
  return TakeSnapshot(storage, "packed");
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_TASK_FIXTURE_H_
