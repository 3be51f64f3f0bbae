#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number.h"
#include "cli/pack_option_group.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "cli/source_options.h"
#include "shardine/escape.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Plans what shardine pack with the same operands and options would make, "
    "as\n"
    "tasks that any number of processes do, on any machines that see the same\n"
    "files, in any order. PLAN has all that they need.\n"
    "\n"
    "  shardine plan pack SOURCE OUT --to PLAN\n"
    "  shardine run-task PLAN K       for each K from 0, several at a time\n"
    "  shardine finalize PLAN         when all are done\n"
    "\n"
    "The dataset is, byte for byte, that of shardine pack. Sources and OUT "
    "that\n"
    "are not on a server have to be under the same absolute paths everywhere.\n"
    "\n";

Json PlanJson(const TaskPlan& plan) {
  return {{"plan", JsonText(plan.plan)},
          {"tasks", plan.tasks},
          {"shards", plan.shards},
          {"shards_per_task", plan.shards_per_task},
          {"samples", plan.samples},
          {"bytes", plan.bytes},
          {"plan_bytes", plan.plan_bytes},
          {"ignored", RejectedJson(plan.ignored)},
          {"warnings", [&] {
             Json list = Json::array();
             for (const std::string& text : plan.warnings) {
               list.push_back(JsonText(text));
             }
             return list;
           }()}};
}

std::string PlanText(const TaskPlan& plan) {
  return "planned " + FormatCount(plan.tasks, "task") + " of " +
         FormatCount(plan.shards, "shard") + ": " +
         FormatCount(plan.samples, "sample") + ", " + FormatBytes(plan.bytes) +
         "\n  plan: " + EscapeBytes(plan.plan) + ", " +
         FormatBytes(plan.plan_bytes) + "\n" + IgnoredText(plan.ignored) +
         WarningText(plan.warnings);
}

class PlanPackVerb : public Verb {
 public:
  Usage usage() const override {
    static const std::string text = std::string(kText) + kSourceHelp;
    return {"SOURCE... OUT --to PLAN", 2, 1000, text};
  }

  void Declare(Options& options) override {
    pack_.Declare(options);
    options.BeginGroup("Tasks");
    options.Text("to", "PLAN", plan_.plan, "the file to write the plan to");
    options.ByteSize("task-size", plan_.task_bytes,
                     "image bytes of a task, which has one shard at least "
                     "(default: 1G or four shards, whichever is more)");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    const Status taken = pack_.Take(operands, options);
    if (!taken.ok()) return taken;
    if (plan_.plan.empty()) {
      return Status(Code::kInvalidArgument,
                    "--to PLAN says which file the plan goes to");
    }
    if (options.given("task-size") && plan_.task_bytes == 0) {
      return Status(Code::kInvalidArgument, "--task-size 0 is no size");
    }
    plan_.pack = pack_.pack();
    InterruptWatcher interrupt;
    ProgressReporter progress(ScanningText(operands), "planning");
    const auto plan = PlanTasks(plan_, {.stop = interrupt.stop_token()});
    progress.Stop();
    if (!plan.ok()) return plan.status();
    const Status written =
        output.Write(json_ ? JsonLine(PlanJson(*plan)) : PlanText(*plan));
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

  Inputs inputs() const override { return Inputs::kSources; }

 private:
  PackOptionGroup pack_;
  TaskPlanOptions plan_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakePlanPackVerb() {
  return std::make_unique<PlanPackVerb>();
}

}  // namespace shardine
