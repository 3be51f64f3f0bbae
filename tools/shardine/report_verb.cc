#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/progress_reporter.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/report.h"
#include "shardine/report_words.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kReportExamples[] =
    "shardine report out --out report.html\n"
    "shardine report out --out report.html --samples 200 --seed 7\n";

constexpr char kReportText[] =
    "Writes one HTML file to look at DATASET with: whether evaluations on its\n"
    "splits can be trusted and what mends them, its identity, images that "
    "splits\n"
    "share, label conflicts, classes, images, files left out, and samples. "
    "The\n"
    "page needs no network, has at most 5 MB, and holds all of it as JSON.\n";

std::string AnswerText(const ReportResult& result) {
  switch (result.answer) {
    case ReportAnswer::kYes:
      return "Evaluations on these splits can be trusted, as far as copies, "
             "labels and classes tell";
    case ReportAnswer::kPartly:
      return "Evaluations on these splits can be trusted in part";
    case ReportAnswer::kNo:
      return "Evaluations on these splits cannot be trusted: " +
             FormatCount(result.leaking, "image") + " in several splits";
    case ReportAnswer::kOneSplit:
      return "There is one split, and nothing to evaluate on";
  }
  return {};
}

class ReportVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET", 1, 1, kReportText, kReportExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override { return DescribeOptions(report_); }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print what was found as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    report_.dataset = operands[0];
    InterruptWatcher interrupt;
    ProgressReporter progress("looking at " + EscapeBytes(operands[0]) + " ...",
                              "reporting");
    const auto result = Report(report_, {.progress = progress.function(),
                                         .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written =
        output.Write(json_ ? JsonLine(ResultJson(*result)) : Summary(*result));
    if (!written.ok()) return written;
    return result->damaged > 0 ? ExitCode::kDamaged : ExitCode::kDone;
  }

  std::string AdviceOn(const Status& status) const override {
    return status.message().find("is no report") != std::string::npos
               ? "--overwrite replaces it"
               : "";
  }

 private:
  std::string Summary(const ReportResult& result) const {
    std::string text = EscapeBytes(report_.output) + ": " +
                       FormatCount(result.samples, "sample") + ", " +
                       FormatCount(result.shown, "sample") + " shown, " +
                       FormatBytes(result.bytes) + "\n";
    text += "  " + AnswerText(result) + "\n";
    if (result.damaged > 0) {
      text += "  " + FormatCount(result.damaged, "image") +
              " cannot be read or decoded\n";
    }
    if (result.undecoded > 0) {
      text += "  no thumbnail of " + FormatCount(result.undecoded, "sample") +
              ", which the page explains\n";
    }
    return text;
  }

  Json ResultJson(const ReportResult& result) const {
    return {{"output", JsonText(report_.output)},
            {"answer", WordOf(result.answer)},
            {"samples", result.samples},
            {"bytes", result.bytes},
            {"shown", result.shown},
            {"pictures", result.pictures},
            {"undecoded", result.undecoded},
            {"damaged", result.damaged},
            {"leaking", result.leaking},
            {"conflicting", result.conflicting},
            {"duplicates", result.duplicates}};
  }

  ReportOptions report_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeReportVerb() {
  return std::make_unique<ReportVerb>();
}

}  // namespace shardine
