#include <optional>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "cli/task_index.h"
#include "shardine/environment.h"
#include "shardine/escape.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kRunTaskExamples[] =
    "shardine run-task plan 0\n"
    "shardine run-task plan 1 --of 2\n";

constexpr char kRunTaskText[] =
    "Does tasks of PLAN, which shardine plan made. K is a number, from 0, or "
    "a\n"
    "list of them like 3,7-9. The same task can be done twice, by several at\n"
    "once, be killed and be done again: one that is done is left as it is.\n"
    "\n"
    "With --of N the tasks are K, K + N, K + 2 N and so on: a share of all "
    "for\n"
    "each of N processes.\n"
    "\n"
    "Exit codes 5, 6 and 130 are worth another try; 0 and 3, where bad images\n"
    "were left out, are done; all others are final. What a verification finds "
    "is\n"
    "no failure of its task: finalize reports it.\n";

class RunTaskVerb : public Verb {
 public:
  Usage usage() const override {
    return {"PLAN [K]", 1, 2, kRunTaskText, kRunTaskExamples};
  }

  void Declare(Options& options) override {
    options.BeginGroup("Run");
    options.Number("of", of_, {1}, "K is the number of a share of this many");
    options.Flag("index-from-env", from_environment_,
                 "K, and of ranks also N, are what the launcher says: "
                 "Kubernetes, AWS Batch, Slurm, Open MPI or MPICH");
    options.Number(
        "jobs,j", jobs_, {1, 1024},
        "worker threads (default: what this process may use); the result is "
        "the same for any");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& /*options*/, Output& output) override {
    TaskRunOptions run{.plan = operands[0],
                       .tasks = {},
                       .threads = static_cast<unsigned>(jobs_)};
    InterruptWatcher interrupt;
    const auto count = CountTasks(run.plan, {.stop = interrupt.stop_token()});
    if (!count.ok()) return count.status();
    auto tasks = TakeTasks(operands, *count);
    if (!tasks.ok()) return std::move(tasks).status();
    run.tasks = *std::move(tasks);
    ProgressReporter progress("reading " + EscapeBytes(run.plan) + " ...",
                              "working");
    const auto result = RunTasks(
        run, {.progress = progress.function(), .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written =
        output.Write(json_ ? Text(*result, progress.seconds(), run.tasks)
                           : Sentence(*result, progress.seconds(), run.tasks));
    if (!written.ok()) return written;
    return result->left_out > 0 ? ExitCode::kRejected : ExitCode::kDone;
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }
  Inputs inputs() const override { return Inputs::kSources; }

  std::string AdviceOn(const Status& status) const override {
    if (status.code() == Code::kCorrupt && status.where().key) {
      return "a plan with --on-bad skip, quarantine or keep goes on without "
             "failing";
    }
    return {};
  }

 private:
  Result<std::vector<std::uint64_t>> TakeTasks(
      const std::vector<std::string>& operands, std::uint64_t count) const {
    if (from_environment_ == (operands.size() == 2)) {
      return Status(Code::kInvalidArgument,
                    from_environment_
                        ? "K and --index-from-env exclude each other"
                        : "operands are missing: PLAN K");
    }
    std::optional<std::uint64_t> of;
    if (of_ > 0) of = of_;
    std::uint64_t index = 0;
    if (from_environment_) {
      const Environment environment = Environment::Current();
      const auto found = FindTaskIndex([&](const char* name) {
        const auto variable = environment.variables().find(name);
        const bool is_set = variable != environment.variables().end();
        return is_set ? variable->second.c_str() : nullptr;
      });
      if (!found.ok()) return found.status();
      index = found->index;
      if (!of) of = found->of;
    } else if (of) {
      if (!NumberValue(index).set(operands[1]).ok()) {
        return Status(Code::kInvalidArgument,
                      "with --of K is one number, and not \"" +
                          EscapeBytes(operands[1]) + "\"");
      }
    } else {
      return ParseTaskList(operands[1], count);
    }
    if (!of) return ParseTaskList(std::to_string(index), count);
    if (index >= *of) {
      return Status(Code::kInvalidArgument,
                    "there is no share " + std::to_string(index) + " of " +
                        std::to_string(*of) + ": they count from 0");
    }
    std::vector<std::uint64_t> tasks;
    for (std::uint64_t task = index; task < count; task += *of) {
      tasks.push_back(task);
    }
    return tasks;
  }

  static std::string Text(const TaskRun& run, double seconds,
                          const std::vector<std::uint64_t>& tasks) {
    Json json = {{"tasks", TaskListText(tasks)},
                 {"done_before", run.tasks_done_before},
                 {"dataset_is_done", run.dataset_is_done},
                 {"shards", run.shards},
                 {"samples", run.samples},
                 {"bytes", run.bytes},
                 {"left_out", run.left_out},
                 {"seconds", seconds}};
    if (run.findings) json["findings"] = *run.findings;
    return JsonLine(json);
  }

  static std::string Sentence(const TaskRun& run, double seconds,
                              const std::vector<std::uint64_t>& tasks) {
    if (tasks.empty()) return "no task is in this share\n";
    const std::string which =
        (tasks.size() == 1 ? "task " : "tasks ") + TaskListText(tasks);
    if (run.tasks_done_before == run.tasks) {
      return which + (tasks.size() == 1 ? " was" : " were") + " done before\n";
    }
    return which + ": " + FormatCount(run.shards, "shard") + ", " +
           FormatCount(run.samples, "sample") + ", " + FormatBytes(run.bytes) +
           " in " + FormatFixed(seconds, 2) + " s" +
           (run.left_out > 0 ? ", " + std::to_string(run.left_out) + " left out"
                             : "") +
           (run.findings ? ", " + FormatCount(*run.findings, "finding") : "") +
           "\n" + WarningText(run.warnings);
  }

  std::uint64_t of_ = 0;
  std::uint64_t jobs_ = 0;
  bool from_environment_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeRunTaskVerb() {
  return std::make_unique<RunTaskVerb>();
}

}  // namespace shardine
