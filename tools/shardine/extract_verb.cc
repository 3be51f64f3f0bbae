#include <string>
#include <vector>

#include "cli/advice.h"
#include "cli/dataset_job.h"
#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/inspect.h"
#include "shardine/inspect_words.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kExtractExamples[] =
    "shardine extract out images\n"
    "shardine extract out by-class --names class/id\n";

constexpr char kExtractText[] =
    "Writes every image of DATASET to DIR/KEY, or DIR/SPLIT/KEY when there "
    "are\n"
    "several splits; --names gives other names. No name leaves DIR. Files "
    "that\n"
    "are there with the same bytes are kept, so that the same command goes on\n"
    "where an interrupted one ended; one with other contents is an error.\n";

std::string Kept(const ExtractResult& result) {
  if (result.kept == 0) return "";
  return "  " + FormatCount(result.kept, "image") + " there already and kept\n";
}

// Nothing is left out in silence.
std::string Left(const ExtractResult& result) {
  if (result.fields_left == 0) return "";
  return "  " + FormatCount(result.fields_left, "field") +
         " not written: only encoded images are; shardine convert --format "
         "webdataset gives files of all\n";
}

class ExtractVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET DIR", 2, 2, kExtractText, kExtractExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override { return DescribeOptions(extract_); }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    extract_.dataset = operands[0];
    extract_.directory = operands[1];
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "reading the index of " + EscapeBytes(operands[0]) + " ...",
        "extracting");
    const auto result = ExtractDataset(
        extract_,
        {.progress = progress.function(), .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written = output.Write(
        json_ ? JsonLine({{"directory", JsonText(operands[1])},
                          {"files", result->files},
                          {"kept", result->kept},
                          {"bytes", result->bytes},
                          {"fields_left", result->fields_left},
                          {"rejected", RejectedJson(result->rejected)}})
              : Text(*result));
    if (!written.ok()) return written;
    return result->rejected.empty() ? ExitCode::kDone : ExitCode::kRejected;
  }

  std::string AdviceOn(const Status& status) const override {
    // A refusal that names a sample is about a file in its place; others are
    // about the dataset, and names that files of it have.
    const bool in_place = status.code() == Code::kAlreadyExists &&
                          status.where().key && CommandAdvice(status).empty();
    return in_place ? "--overwrite replaces it"
                    : DatasetJob::DamageAdvice(status, extract_.on_bad);
  }

 private:
  std::string Text(const ExtractResult& result) const {
    return "extracted " + FormatCount(result.files, "image") + ", " +
           FormatBytes(result.bytes) + ": " + EscapeBytes(extract_.directory) +
           "\n" + Kept(result) + Left(result) + RejectedText(result.rejected);
  }

  ExtractOptions extract_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeExtractVerb() {
  return std::make_unique<ExtractVerb>();
}

}  // namespace shardine
