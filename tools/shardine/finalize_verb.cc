#include <cstdio>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "cli/verify_report.h"
#include "shardine/escape.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kFinalizeExamples[] =
    "shardine finalize done-plan --prove 10\n"
    "shardine finalize done-plan\n";

constexpr char kFinalizeText[] =
    "Proves that all tasks of PLAN are done and writes what makes a dataset "
    "of\n"
    "their shards: the list of rejects and the manifests. Then what tasks "
    "left\n"
    "for each other is removed. A second time it does nothing.\n"
    "\n"
    "Where tasks are missing their numbers are printed, like 3,7-9, and "
    "nothing\n"
    "is done: exit code 1.\n"
    "\n"
    "Notes of tasks are compared with the plan and with the sizes and "
    "sidecars\n"
    "of their files. --prove PERCENT also reads the files of so many of the\n"
    "shards, and shardine verify reads all.\n"
    "\n"
    "Of a plan of a verification it prints the report instead, with the exit\n"
    "code of shardine verify, and leaves the notes. --prove PERCENT verifies "
    "so\n"
    "many of the shards once more.\n";

class FinalizeVerb : public Verb {
 public:
  Usage usage() const override {
    return {"PLAN", 1, 1, kFinalizeText, kFinalizeExamples};
  }

  void Declare(Options& options) override {
    options.BeginGroup("Run");
    options.Number("prove", percent_, {0, 100},
                   "percent of the shards to read again (default: 0)");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& /*options*/, Output& output) override {
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "reading the notes of " + EscapeBytes(operands[0]) + " ...",
        "finalizing");
    const auto done = FinalizeTasks(
        {.plan = operands[0], .proved_percent = static_cast<double>(percent_)},
        {.stop = interrupt.stop_token()});
    progress.Stop();
    if (!done.ok()) return done.status();
    if (!done->missing.empty()) return Missing(operands[0], *done, output);
    if (done->verified) {
      return Report(*done->verified, progress.seconds(), output);
    }
    const PackResult& result = *done->result;
    const double seconds = progress.seconds();
    const Status written =
        output.Write(json_ ? JsonLine(ResultJson(result, seconds))
                           : ResultText("finalized", result, seconds));
    if (!written.ok()) return written;
    for (const RejectedCount& entry : result.rejected) {
      if (!result.nothing_to_do && entry.count > 0 && entry.action != "keep") {
        return ExitCode::kRejected;
      }
    }
    return ExitCode::kDone;
  }

 private:
  // As shardine verify gives it.
  Result<ExitCode> Report(const VerifiedTasks& verified, double seconds,
                          Output& output) const {
    const VerifyReport report{.target = verified.options.target,
                              .result = verified.result,
                              .seconds = seconds,
                              .by_tasks = true,
                              .by_list = !verified.options.list.empty()};
    const Status written =
        json_ ? WriteJson(report, output) : WriteText(report, output);
    if (!written.ok()) return written;
    return ExitCodeOf(verified.result.findings);
  }

  Result<ExitCode> Missing(const std::string& plan, const Finalized& done,
                           Output& output) const {
    const std::string list = TaskListText(done.missing);
    const Status written =
        output.Write(json_ ? JsonLine({{"missing", list}}) : list + "\n");
    if (!written.ok()) return written;
    std::fputs(("shardine: " + FormatCount(done.missing.size(), "task") +
                (done.missing.size() == 1 ? " is" : " are") +
                " missing, the first because: " + done.first_missing +
                "; shardine run-task " + EscapeBytes(plan) + " " + list +
                " does them\n")
                   .c_str(),
               stderr);
    return ExitCode::kFailed;
  }

  std::uint64_t percent_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeFinalizeVerb() {
  return std::make_unique<FinalizeVerb>();
}

}  // namespace shardine
