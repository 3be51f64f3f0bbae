// Tasks: a dataset made by one process or by thousands, which share nothing but
// a plan file and the folders. The work of a task is a function of the plan and
// its number: any process may do it, several may do the same one at once, be
// killed, and do it again. Which process does which is decided outside: by a
// job array, Ray or a shell loop.
#ifndef SHARDINE_TASKS_H_
#define SHARDINE_TASKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/convert.h"
#include "shardine/job.h"
#include "shardine/pack.h"
#include "shardine/pack_result.h"
#include "shardine/resize.h"
#include "shardine/status.h"
#include "shardine/verify.h"

namespace shardine {

struct TaskPlanOptions {
  // The options of Pack(). Sources and output, unless they are on a server, are
  // looked for by all processes under the same absolute paths.
  PackOptions pack;
  std::string plan;  // the file to write
  // Image bytes of a task, which has one whole shard at least. 0: 1 GiB or four
  // shards, whichever is more.
  std::uint64_t task_bytes = 0;
};

struct TaskPlan {
  std::string plan;  // the file
  std::uint64_t tasks = 0;
  std::uint64_t shards = 0;
  std::uint64_t shards_per_task = 0;  // the last task may have fewer
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;       // of images
  std::uint64_t plan_bytes = 0;  // of the file
  std::vector<RejectedCount> ignored = {};
  std::vector<FieldLeft> fields_left = {};  // by a conversion
  std::vector<std::string> warnings = {};
};

// Plans the dataset that Pack() of the same options would make and writes the
// plan down. The plan file is all that is written: the output stays as it is.
// The first tasks of a plan take over the files that an earlier plan of the
// same command left there, which is why no tasks of the two may be under way
// together.
//
// kAlreadyExists: something else has the name of the file; the failures of
// PlanPack(), and those of Pack() about the output.
Result<TaskPlan> PlanTasks(const TaskPlanOptions& options, const Job& job = {});

struct ConvertTaskOptions {
  ConvertOptions convert;  // as for Convert(); of a dataset
  std::string plan;
  std::uint64_t task_bytes = 0;
};
// The same of Convert(). Tasks read the dataset's samples by its sidecars.
//
// kInvalidArgument: the input is shards in no dataset. Else as Convert() and
// PlanTasks().
Result<TaskPlan> PlanConvertTasks(const ConvertTaskOptions& options,
                                  const Job& job = {});

struct ResizeTaskOptions {
  ResizeShardsOptions resize;  // as for ResizeShards()
  std::string plan;
  std::uint64_t task_bytes = 0;
};
// The same for ResizeShards(), of a dataset or of sources as for Pack().
Result<TaskPlan> PlanResizeTasks(const ResizeTaskOptions& options,
                                 const Job& job = {});

struct TaskRunOptions {
  std::string plan;
  std::vector<std::uint64_t> tasks;  // their numbers, from 0
  unsigned threads = 0;              // 0: this process's share
  // Seconds between two signs of life.
  double beat_seconds = 10;
};

struct TaskRun {
  std::uint64_t tasks = 0;
  std::uint64_t tasks_done_before = 0;
  std::uint64_t shards = 0;  // made here
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;     // of images
  std::uint64_t left_out = 0;  // samples of all these tasks
  // For a verification: the findings in all these tasks.
  std::optional<std::uint64_t> findings = {};
  bool dataset_is_done = false;  // finalized before: nothing was left to do
  std::vector<std::string> warnings = {};
};

// Does these tasks, one after the other, also those after one that fails, but
// for want of a disk or a server. Nothing is written for one that is done.
// Takes no lock, and touches no other attempt's unfinished files. Where the
// dataset is complete but for lost files of shards, the tasks of these shards
// make the files again, with the manifest's bytes and under the output's lock.
//
// kChanged: a source changed since it was planned, or the output is another
// plan's. kAlreadyExists: something that no attempt at the task made has one of
// its names. Else as Pack(). The failure of a task is kept in the output for
// StatusOfTasks().
Result<TaskRun> RunTasks(const TaskRunOptions& options, const Job& job = {});

struct FinalizeOptions {
  std::string plan;
  // The percentage of shards whose files are read again and compared with their
  // notes.
  double proved_percent = 0;
};

// The report of a verification.
struct VerifiedTasks {
  VerifyOptions options;  // as planned
  VerifyResult result;
};

struct Finalized {
  // Tasks that are not done, ascending. If there are any nothing was written.
  std::vector<std::uint64_t> missing = {};
  std::string first_missing = {};  // why the first of them is not done
  std::optional<PackResult> result = {};
  std::optional<VerifiedTasks> verified = {};  // in place of a dataset
};

// Proves that all tasks are done, by their notes, which are compared with the
// plan and with the files, and writes rejects and manifests. Then the notes and
// files of tasks are removed. A second time it does nothing.
//
// kAlreadyExists: another run holds the output; kCorrupt: the plan is damaged,
// or a proved shard differs from its note.
Result<Finalized> FinalizeTasks(const FinalizeOptions& options,
                                const Job& job = {});

struct RunningTask {
  std::uint64_t task = 0;
  std::string host = {};
  std::uint64_t process = 0;
  double seconds = 0;  // at work, by its own clock
  double silent = 0;   // seconds since its last sign of life
  std::uint64_t samples = 0;
  std::uint64_t samples_total = 0;
};

struct FailedTask {
  std::uint64_t task = 0;
  std::string code;  // as of shardine/status_words.h
  std::string reason;
};

struct TaskStatus {
  std::uint64_t tasks = 0;
  std::uint64_t done = 0;
  bool finalized = false;
  bool is_verification = false;             // finalize gives a report
  std::vector<std::uint64_t> missing = {};  // ascending
  std::vector<FailedTask> failed = {};      // of those missing
  std::vector<RunningTask> running = {};    // of those missing
  std::uint64_t samples = 0;
  std::uint64_t samples_done = 0;
  // Until all is done, by the tasks running now; nullopt: unknown.
  std::optional<double> seconds_left = {};
};

// Writes nothing. A process that was killed counts as running until it was
// silent for a while.
Result<TaskStatus> StatusOfTasks(const std::string& plan, const Job& job = {});

// How many tasks a plan has.
Result<std::uint64_t> CountTasks(const std::string& plan, const Job& job = {});

// "3,7-9", as job arrays take them; empty of none. REQUIRES: ascending.
std::string TaskListText(const std::vector<std::uint64_t>& tasks);
// kInvalidArgument quotes a text that is no such list, or a number that is not
// below `count`.
Result<std::vector<std::uint64_t>> ParseTaskList(std::string_view text,
                                                 std::uint64_t count);

}  // namespace shardine

#endif  // SHARDINE_TASKS_H_
