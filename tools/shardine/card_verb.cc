#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/progress_reporter.h"
#include "shardine/card.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kCardExamples[] =
    "shardine card out --license cc-by-4.0\n"
    "shardine card out --out published --name birds\n";

constexpr char kCardText[] =
    "Writes three files to publish DATASET with: README.md with the head that\n"
    "Hugging Face's hub reads, croissant.json of MLCommons' vocabulary, and\n"
    "manifest-sha256.txt, which `sha256sum -c` compares in the dataset's "
    "folder.\n"
    "Every file of the dataset is read once and compared with its manifest.\n"
    "A changed README.md stays: the card is refused.\n";

class CardVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET", 1, 1, kCardText, kCardExamples};
  }

  OptionList described() override { return DescribeOptions(card_); }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print what was written as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    card_.dataset = operands[0];
    InterruptWatcher interrupt;
    ProgressReporter progress("reading " + EscapeBytes(operands[0]) + " ...",
                              "digesting");
    const auto result = Card(card_, {.progress = progress.function(),
                                     .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written =
        output.Write(json_ ? JsonLine(ResultJson(*result)) : Summary(*result));
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  static std::string Summary(const CardResult& result) {
    std::string text;
    for (const std::string& path : result.written) {
      text += "wrote " + EscapeBytes(path) + "\n";
    }
    for (const std::string& path : result.kept) {
      text += "nothing to do: " + EscapeBytes(path) + "\n";
    }
    return text + "  " + FormatCount(result.samples, "sample") + ", " +
           FormatCount(result.files, "file") + ", " +
           FormatBytes(result.bytes) + " digested\n";
  }

  static Json PathsJson(const std::vector<std::string>& paths) {
    Json json = Json::array();
    for (const std::string& path : paths) json.push_back(JsonText(path));
    return json;
  }

  static Json ResultJson(const CardResult& result) {
    return {{"written", PathsJson(result.written)},
            {"kept", PathsJson(result.kept)},
            {"samples", result.samples},
            {"files", result.files},
            {"bytes", result.bytes}};
  }

  CardOptions card_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeCardVerb() { return std::make_unique<CardVerb>(); }

}  // namespace shardine
