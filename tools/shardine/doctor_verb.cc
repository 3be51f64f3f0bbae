#include <memory>
#include <string>
#include <vector>

#include "cli/epoch_report.h"
#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/machine_report.h"
#include "cli/progress_reporter.h"
#include "shardine/describe.h"
#include "shardine/doctor.h"
#include "shardine/escape.h"
#include "shardine/machine.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kDoctorExamples[] =
    "shardine doctor\n"
    "shardine doctor out\n";

constexpr char kDoctorText[] =
    "Without operand: prints what a bug report needs, such as versions, "
    "processor,\n"
    "libraries and folders. This program does not see Python: "
    "shardine.doctor()\n"
    "there adds torch, tqdm, Pillow and NumPy.\n\n"
    "With a dataset, a folder of images or an address: measures storage or "
    "server\n"
    "and decoding for at most ten seconds, and prints how long an epoch takes, "
    "what\n"
    "limits it and what to change. Writes nothing.\n";

constexpr char kPythonLine[] =
    "python        not seen by this program: "
    "python3 -c \"import shardine; print(shardine.doctor())\"\n";

class DoctorVerb : public Verb {
 public:
  Usage usage() const override {
    return {"[DATASET|TREE|URL]", 0, 1, kDoctorText, kDoctorExamples};
  }

  OptionList described() override { return DescribeOptions(doctor_); }

  void Declare(Options& options) override {
    options.BeginGroup(kRunGroup);
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    const Machine machine = DescribeMachine();
    Json json = {{"machine", MachineJson(machine)}};
    std::string text = MachineText(machine) + kPythonLine;
    if (operands.empty()) {
      if (options.given("split") || options.given("jobs")) {
        return Status(Code::kInvalidArgument,
                      "--split and --jobs are for a dataset or folder");
      }
    } else {
      doctor_.target = operands[0];
      const auto result = Examine();
      if (!result.ok()) return result.status();
      json["epoch"] = EpochReportJson(*result);
      text = EpochReport(*result);
    }
    const Status written = output.Write(json_ ? JsonLine(json) : text);
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  Result<DoctorResult> Examine() const {
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "measuring " + EscapeBytes(doctor_.target) + " ...", "measuring");
    auto result = Doctor(doctor_, {.stop = interrupt.stop_token()});
    progress.Stop();
    return result;
  }

  DoctorOptions doctor_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeDoctorVerb() {
  return std::make_unique<DoctorVerb>();
}

}  // namespace shardine
