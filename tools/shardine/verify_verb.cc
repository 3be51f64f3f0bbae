#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/progress_reporter.h"
#include "cli/verify_report.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/verb.h"
#include "shardine/verify.h"

namespace shardine {
namespace {

constexpr char kVerifyExamples[] =
    "shardine verify out\n"
    "shardine verify out --level deep --against photos\n";

constexpr char kVerifyText[] =
    "Checks TARGET, a dataset folder or one shard file, and prints each thing\n"
    "that is wrong on a line of its own: file, record, key, byte.\n";

class VerifyVerb : public Verb {
 public:
  Usage usage() const override {
    return {"TARGET", 1, 1, kVerifyText, kVerifyExamples};
  }

  OptionList described() override { return DescribeOptions(verify_); }

  void Declare(Options& options) override {
    options.BeginGroup(kRunGroup);
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    verify_.target = operands[0];
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "verifying " + EscapeBytes(verify_.target) + " ...", "verifying");
    const auto result = Verify(verify_, {.progress = progress.function(),
                                         .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const VerifyReport report{.target = verify_.target,
                              .result = *result,
                              .seconds = progress.seconds(),
                              .by_list = !verify_.list.empty()};
    const Status written =
        json_ ? WriteJson(report, output) : WriteText(report, output);
    if (!written.ok()) return written;
    return ExitCodeOf(result->findings);
  }

 private:
  VerifyOptions verify_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeVerifyVerb() {
  return std::make_unique<VerifyVerb>();
}

}  // namespace shardine
