#include <unistd.h>

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "cli/source_operands.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/source_list_file.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kListExamples[] =
    "shardine list photos --lst photos.lst\n"
    "shardine list photos --hold-out 1 --lst cut.lst --per-split\n";

constexpr char kListText[] =
    "Writes the samples that pack would take from SOURCE down as a .lst, in "
    "the\n"
    "order of their ids: id, labels and path, separated by tabs.\n"
    "\n";

std::string ListText(const SourceListResult& result) {
  std::string text;
  for (const SourceListFile& file : result.files) {
    text += FormatCount(file.samples, "sample") + ": " +
            (file.path.empty() ? "standard output" : EscapeBytes(file.path)) +
            "\n";
  }
  return text + IgnoredText(result.ignored) + RejectedText(result.bad) +
         WarningText(result.warnings);
}

Json ListJson(const SourceListResult& result) {
  Json files = Json::array();
  for (const SourceListFile& file : result.files) {
    Json row = {{"path", JsonText(file.path)}, {"samples", file.samples}};
    // A list of all splits belongs to none.
    if (!file.split.empty()) row["split"] = JsonText(file.split);
    files.push_back(std::move(row));
  }
  return {{"files", std::move(files)},
          {"samples", result.samples},
          {"classes", result.classes},
          {"ignored", RejectedJson(result.ignored)},
          {"bad", RejectedJson(result.bad)},
          {"warnings", result.warnings}};
}

class ListVerb : public Verb {
 public:
  Usage usage() const override {
    static const std::string text = std::string(kListText) + kSourceHelp;
    return {"SOURCE...", 1, 1000, text, kListExamples};
  }

  OptionList described() override { return DescribeOptions(list_.source); }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Text("lst", "FILE", lst_,
                 "the list; - is standard output (default: -)");
    options.Flag("per-split", list_.per_split,
                 "one list per split: FILE a.lst becomes a_train.lst, "
                 "a_val.lst");
    options.Flag("json", json_,
                 "print what was written as one JSON object; needs --lst FILE");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const bool to_file = lst_ != "-";
    // One stream cannot hold the list and the object, nor two lists.
    if (!to_file && (json_ || list_.per_split)) {
      return Status(
          Code::kInvalidArgument,
          std::string(json_ ? "--json" : "--per-split") + " needs --lst FILE");
    }
    auto folders = ParseSourceArguments(operands);
    if (!folders.ok()) return folders.status();
    ProgressReporter progress(ScanningText(operands), "scanning");
    list_.source.folders = *std::move(folders);
    if (to_file) {
      list_.output = lst_;
    } else {
      // A file is to hold the paths as they are; people look at a terminal.
      const bool shown = isatty(STDOUT_FILENO) == 1;
      list_.sink = [&output, &progress, shown](std::string_view text) {
        progress.Stop();
        return shown ? output.Write(text) : output.WriteBytes(text);
      };
    }
    const auto result = WriteSourceList(list_);
    progress.Stop();
    if (!result.ok()) return result.status();
    for (const std::string& line : result->remarks) progress.Say(line);
    if (const Status status = Report(*result, output); !status.ok()) {
      return status;
    }
    // The list is whole as far as it goes, but lacks files that could not be
    // read: a script that packs from it has to know.
    return result->bad.empty() ? ExitCode::kDone : ExitCode::kRejected;
  }

  Inputs inputs() const override { return Inputs::kSources; }

 private:
  // Next to a list on standard output the report is no result.
  Status Report(const SourceListResult& result, Output& output) const {
    if (json_) return output.Write(JsonLine(ListJson(result)));
    if (!list_.output.empty()) return output.Write(ListText(result));
    Output error(STDERR_FILENO);
    Status status = error.Write(ListText(result));
    return status.ok() ? error.Flush() : status;
  }

  SourceListOptions list_;
  std::string lst_ = "-";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeListVerb() { return std::make_unique<ListVerb>(); }

}  // namespace shardine
