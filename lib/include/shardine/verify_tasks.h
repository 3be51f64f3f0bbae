// Verification by tasks: the work of Verify(), by one process or by thousands
// (shardine/tasks.h).
#ifndef SHARDINE_VERIFY_TASKS_H_
#define SHARDINE_VERIFY_TASKS_H_

#include <cstdint>
#include <string>

#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "shardine/verify.h"

namespace shardine {

struct VerifyPlanOptions {
  // The options of Verify(). `threads` does nothing. The dataset and its
  // comparands, unless they are on a server, are looked for by all processes
  // under the same absolute paths; the report has these.
  VerifyOptions verify;
  std::string plan;  // the file to write
  // The folder where tasks leave notes of their findings; empty: PLAN.notes.
  // Nothing is written into the dataset.
  std::string notes = {};
  // Bytes of shards of a task, which has one whole shard at least. 0: 1 GiB or
  // four shards, whichever is more.
  std::uint64_t task_bytes = 0;
};

// Plans the work of Verify() with the same options and writes the plan down,
// with the sizes and times of the dataset's files: from then on they stay as
// they are, or tasks and finalize say kChanged. RunTasks(), StatusOfTasks() and
// FinalizeTasks() take the plan; Finalized::verified is the report, the same
// that Verify() gives. Notes stay where they are, for later calls, until the
// user removes their folder.
//
// kInvalidArgument: the target is one shard file, or the plan or its notes
// would lie in the dataset; kCorrupt: the manifest is damaged; kAlreadyExists:
// something else has the name of the plan; else as Verify().
Result<TaskPlan> PlanVerifyTasks(const VerifyPlanOptions& options,
                                 const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_VERIFY_TASKS_H_
