#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/plan_job.h"
#include "cli/progress_reporter.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/verb.h"
#include "shardine/verify_tasks.h"

namespace shardine {
namespace {

constexpr char kPlanVerifyExamples[] =
    "shardine plan verify out --to plan\n"
    "shardine plan verify out --level deep --to deep.plan\n";

constexpr char kPlanVerifyText[] =
    "Plans what shardine verify with the same options would do, as tasks that\n"
    "any number of processes do, on any machines that see the same files, in\n"
    "any order. PLAN has all that they need.\n"
    "\n"
    "  shardine plan verify DATASET --to PLAN\n"
    "  shardine run-task PLAN K       for each K from 0, several at a time\n"
    "  shardine finalize PLAN         when all are done: the report\n"
    "\n"
    "The report is that of shardine verify. The dataset is only read, and "
    "stays\n"
    "as it is until the report is there: tasks leave what they found in a "
    "folder\n"
    "of notes, which can be removed after that.\n";

class PlanVerifyVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET --to PLAN", 1, 1, kPlanVerifyText, kPlanVerifyExamples};
  }

  OptionList described() override {
    return Planned(DescribeOptions(plan_.verify));
  }

  void Declare(Options& options) override {
    options.BeginGroup("Tasks");
    options.Text("to", "PLAN", plan_.plan, "the file to write the plan to");
    options.Text("notes", "DIR", plan_.notes,
                 "where tasks leave what they found (default: PLAN.notes)");
    options.ByteSize("task-size", plan_.task_bytes,
                     "bytes of shards of a task, which has one shard at least "
                     "(default: 1G or four shards, whichever is more)");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    plan_.verify.target = operands[0];
    if (plan_.plan.empty()) {
      return Status(Code::kInvalidArgument,
                    "--to PLAN says which file the plan goes to");
    }
    if (options.given("task-size") && plan_.task_bytes == 0) {
      return Status(Code::kInvalidArgument, "--task-size 0 is no size");
    }
    if (options.given("notes") && plan_.notes.empty()) {
      return Status(Code::kInvalidArgument, "--notes is empty");
    }
    InterruptWatcher interrupt;
    ProgressReporter progress("looking at " + EscapeBytes(operands[0]) + " ...",
                              "planning");
    const auto plan = PlanVerifyTasks(plan_, {.stop = interrupt.stop_token()});
    progress.Stop();
    if (!plan.ok()) return plan.status();
    const Status written = output.Write(json_ ? Text(*plan) : Sentence(*plan));
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  static std::string Text(const TaskPlan& plan) {
    return JsonLine({{"plan", JsonText(plan.plan)},
                     {"tasks", plan.tasks},
                     {"shards", plan.shards},
                     {"shards_per_task", plan.shards_per_task},
                     {"samples", plan.samples},
                     {"bytes", plan.bytes},
                     {"plan_bytes", plan.plan_bytes}});
  }

  static std::string Sentence(const TaskPlan& plan) {
    return "planned " + FormatCount(plan.tasks, "task") + " of " +
           FormatCount(plan.shards, "shard") + ": " +
           FormatCount(plan.samples, "sample") + ", " +
           FormatBytes(plan.bytes) + "\n  plan: " + EscapeBytes(plan.plan) +
           ", " + FormatBytes(plan.plan_bytes) + "\n";
  }

  VerifyPlanOptions plan_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakePlanVerifyVerb() {
  return std::make_unique<PlanVerifyVerb>();
}

}  // namespace shardine
