#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "cli/json_text.h"
#include "cli/number_text.h"
#include "shardine/escape.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kStatusExamples[] =
    "shardine status plan\n"
    "shardine status plan --missing\n";

constexpr char kStatusText[] =
    "Says how far the tasks of PLAN are: which are done, by the notes that "
    "each\n"
    "leaves when all its files have their names, which are under way, by the\n"
    "signs of life of their processes, and which failed, and why.\n"
    "\n"
    "--missing prints the tasks that are not done and nothing else, like\n"
    "3,7-9, as run-task, sbatch --array and the like take them.\n";

Json RunningJson(const RunningTask& task) {
  return {{"task", task.task},
          {"host", JsonText(task.host)},
          {"process", task.process},
          {"seconds", task.seconds},
          {"silent_seconds", task.silent},
          {"samples", task.samples},
          {"samples_total", task.samples_total}};
}

Json StatusJson(const TaskStatus& status) {
  Json failed = Json::array();
  for (const FailedTask& task : status.failed) {
    failed.push_back({{"task", task.task},
                      {"code", JsonText(task.code)},
                      {"reason", JsonText(task.reason)}});
  }
  Json running = Json::array();
  for (const RunningTask& task : status.running) {
    running.push_back(RunningJson(task));
  }
  Json json = {{"tasks", status.tasks},
               {"done", status.done},
               {"finalized", status.finalized},
               {"missing", TaskListText(status.missing)},
               {"failed", std::move(failed)},
               {"running", std::move(running)},
               {"samples", status.samples},
               {"samples_done", status.samples_done},
               {"seconds_left", nullptr}};
  if (status.seconds_left) json["seconds_left"] = *status.seconds_left;
  return json;
}

std::string StatusText(const TaskStatus& status) {
  std::string text = std::to_string(status.done) + " of " +
                     FormatCount(status.tasks, "task") + " done";
  if (status.finalized) return text + ", and so is the dataset\n";
  if (status.missing.empty()) {
    return text + "; shardine finalize " +
           (status.is_verification ? "prints the report"
                                   : "makes the dataset") +
           "\n";
  }
  text += ", missing: " + TaskListText(status.missing) + "\n";
  if (status.seconds_left) {
    text +=
        "  by what runs now, in " + FormatSeconds(*status.seconds_left) + "\n";
  }
  for (const RunningTask& task : status.running) {
    text += "  running: " + std::to_string(task.task) + " on " +
            EscapeBytes(task.host) + ", process " +
            std::to_string(task.process) + ", " + std::to_string(task.samples) +
            " of " + FormatCount(task.samples_total, "sample") + ", heard of " +
            FormatSeconds(task.silent) + " ago\n";
  }
  for (const FailedTask& task : status.failed) {
    text += "  failed: " + std::to_string(task.task) + ": " +
            EscapeBytes(task.reason) + "\n";
  }
  return text;
}

class StatusVerb : public Verb {
 public:
  Usage usage() const override {
    return {"PLAN", 1, 1, kStatusText, kStatusExamples};
  }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print one JSON object");
    options.Flag("missing", missing_, "print the missing tasks alone");
    options.Flag("watch", watch_,
                 "print it again every five seconds until all tasks are done");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& /*options*/, Output& output) override {
    if (json_ && missing_) {
      return Status(Code::kInvalidArgument,
                    "--json and --missing exclude each other");
    }
    for (;;) {
      const auto status = StatusOfTasks(operands[0]);
      if (!status.ok()) return status.status();
      Status written = output.Write(Text(*status));
      if (!written.ok()) return written;
      if (!watch_ || status->missing.empty()) return ExitCode::kDone;
      written = output.Flush();
      if (!written.ok()) return written;
      std::this_thread::sleep_for(kWatchPause);
    }
  }

 private:
  static constexpr std::chrono::seconds kWatchPause{5};

  std::string Text(const TaskStatus& status) const {
    if (json_) return JsonLine(StatusJson(status));
    if (!missing_) return StatusText(status);
    const std::string tasks = TaskListText(status.missing);
    return tasks.empty() ? "" : tasks + "\n";
  }

  bool json_ = false;
  bool missing_ = false;
  bool watch_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeStatusVerb() {
  return std::make_unique<StatusVerb>();
}

}  // namespace shardine
