// Fixture of tests of verifications by tasks: a dataset with variants in
// memory, and reports as values that can be compared.
#ifndef SHARDINE_TESTS_SUPPORT_VERIFY_TASKS_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_VERIFY_TASKS_FIXTURE_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shardine/status_words.h"
#include "shardine/verify_tasks.h"
#include "support/task_fixture.h"

namespace shardine {

inline constexpr char kNotes[] = "plan.notes";

// Images, two of which are bad.
inline void PutBadImages(MemoryStorage& storage, const std::string& tree) {
  PutImages(storage, tree);
  storage.Put(tree + "/class0/bad.jpg", "no image");
  storage.Put(tree + "/class1/cut.jpg",
              storage.Get(tree + "/class1/0.jpg")->substr(0, 300));
}

// "out", with sizes of 16 and 24, each in three shards; the two bad images are
// rejected.
inline void PackFamily(MemoryStorage& storage, const std::string& format) {
  PutBadImages(storage, "tree");
  PackOptions pack = VariantsOf("tree", "out");
  pack.format = format;
  pack.on_bad = OnBad::kSkip;
  REQUIRE(Pack(pack, {.storage = &storage}).status().ToString() == "OK");
}

// All that a report says.
struct Report {
  std::vector<std::string> findings;
  std::vector<std::string> notes;
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const Report&, const Report&) = default;
};

inline Report ReportOf(const VerifyResult& result) {
  Report report{.findings = {},
                .notes = result.notes,
                .shards = result.shards,
                .samples = result.samples,
                .bytes = result.bytes};
  for (const Status& finding : result.findings) {
    report.findings.push_back(std::string(WordOf(finding.code())) + " " +
                              std::to_string(finding.system_error()) + " " +
                              finding.ToString());
  }
  return report;
}

// The report of one process.
inline Report Verified(Storage& storage, const VerifyOptions& options) {
  const auto result = Verify(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  return ReportOf(*result);
}

// One shard a task.
inline Status PlanVerify(Storage& storage, const VerifyOptions& options) {
  return PlanVerifyTasks({.verify = options, .plan = kPlan, .task_bytes = 1},
                         {.storage = &storage})
      .status();
}

inline std::vector<std::uint64_t> AllTasks(Storage& storage) {
  const auto count = CountTasks(kPlan, {.storage = &storage});
  REQUIRE(count.status().ToString() == "OK");
  std::vector<std::uint64_t> tasks(*count);
  for (std::uint64_t i = 0; i < *count; ++i) tasks[i] = i;
  return tasks;
}

// The report of finalize. Requires that nothing is missing.
inline Report Finalize(Storage& storage, double proved_percent = 0) {
  const auto done = FinalizeTasks(
      {.plan = kPlan, .proved_percent = proved_percent}, {.storage = &storage});
  REQUIRE(done.status().ToString() == "OK");
  REQUIRE(done->first_missing == "");
  REQUIRE(done->verified);
  return ReportOf(done->verified->result);
}

// Tasks that are not done.
inline std::string Missing(Storage& storage) {
  const auto status = StatusOfTasks(kPlan, {.storage = &storage});
  REQUIRE(status.status().ToString() == "OK");
  return TaskListText(status->missing);
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_VERIFY_TASKS_FIXTURE_H_
