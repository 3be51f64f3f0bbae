#include "cli/plan_job.h"

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

Json PlanJson(const TaskPlan& plan) {
  Json json = {{"plan", JsonText(plan.plan)},
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
  if (!plan.fields_left.empty()) {
    json["fields_left"] = FieldsJson(plan.fields_left);
  }
  return json;
}

std::string PlanText(const TaskPlan& plan) {
  return "planned " + FormatCount(plan.tasks, "task") + " of " +
         FormatCount(plan.shards, "shard") + ": " +
         FormatCount(plan.samples, "sample") + ", " + FormatBytes(plan.bytes) +
         "\n  plan: " + EscapeBytes(plan.plan) + ", " +
         FormatBytes(plan.plan_bytes) + "\n" + FieldsText(plan.fields_left) +
         IgnoredText(plan.ignored) + WarningText(plan.warnings);
}

}  // namespace

OptionList Planned(OptionList described) {
  std::erase_if(described,
                [](const Option& option) { return option.group == kRunGroup; });
  return described;
}

void PlanJob::Declare(Options& options) {
  options.BeginGroup("Tasks");
  options.Text("to", "PLAN", plan_, "the file to write the plan to");
  options.ByteSize("task-size", task_bytes_,
                   "image bytes of a task, which has one shard at least "
                   "(default: 1G or four shards, whichever is more)");
  options.Flag("json", json_, "print the result as one JSON object");
}

Status PlanJob::Check(const Options& options) const {
  if (plan_.empty()) {
    return Status(Code::kInvalidArgument,
                  "--to PLAN says which file the plan goes to");
  }
  if (options.given("task-size") && task_bytes_ == 0) {
    return Status(Code::kInvalidArgument, "--task-size 0 is no size");
  }
  return Status();
}

Result<ExitCode> PlanJob::Run(const std::string& first, const Work& work,
                              Output& output) const {
  InterruptWatcher interrupt;
  ProgressReporter progress(first, "planning");
  const auto plan =
      work({.stop = interrupt.stop_token(), .say = progress.say()});
  progress.Stop();
  if (!plan.ok()) return plan.status();
  const Status written =
      output.Write(json_ ? JsonLine(PlanJson(*plan)) : PlanText(*plan));
  if (!written.ok()) return written;
  return ExitCode::kDone;
}

}  // namespace shardine
