#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/advice.h"
#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number.h"
#include "cli/progress_reporter.h"
#include "shardine/escape.h"
#include "shardine/printable.h"
#include "shardine/status_words.h"
#include "shardine/verb.h"
#include "shardine/verify.h"
#include "shardine/verify_words.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Checks TARGET, a dataset folder or one shard file, and prints each thing\n"
    "that is wrong on a line of its own: file, record, key, byte.\n";

Json FindingJson(const Status& finding) {
  const Where& where = finding.where();
  Json json = {{"code", WordOf(finding.code())},
               {"path", JsonText(where.path)}};
  // What a finding does not know is left out: 0 would be a record and a byte
  // like any other.
  if (where.record) json["record"] = *where.record;
  if (where.key) json["key"] = JsonText(*where.key);
  if (where.offset) json["byte"] = *where.offset;
  json["message"] = PrintableLine(finding.message());
  return json;
}

// What a user can do about `findings`; empty if nothing.
std::string RepairAdvice(const std::vector<Status>& findings) {
  const auto of_points = [](const Status& finding) {
    return finding.where().path.ends_with(".sde");
  };
  // Entry points are the only part of a dataset that can be made anew from the
  // rest. What else is damaged has to be packed again from its sources.
  if (std::ranges::any_of(findings, IsSidecarMissing)) {
    return std::string("note: ") + kSidecarAdvice + "\n";
  }
  if (!std::ranges::any_of(findings, of_points)) return {};
  return "note: shardine reindex --entry-points none takes the entry points "
         "away, and shardine reindex finds them again\n";
}

// Keys such as a#2.jpg are what a pack gives further samples of one file.
std::string ListAdvice(const std::vector<Status>& findings) {
  const auto numbered = [](const Status& finding) {
    return finding.where().key.value_or("").find('#') != std::string::npos &&
           finding.message().starts_with("the tree has no such image");
  };
  if (!std::ranges::any_of(findings, numbered)) return {};
  return "note: keys like a#2.jpg are of lists that name a.jpg twice: --list "
         "FILE compares by the list that was packed\n";
}

class VerifyVerb : public Verb {
 public:
  Usage usage() const override { return {"TARGET", 1, 1, kText}; }

  void Declare(Options& options) override {
    options.BeginGroup("Checks");
    options.Choice("level", verify_.level,
                   "quick: manifest, sizes, sidecar headers; full: every byte "
                   "and checksum; deep: decodes every image, too (default: "
                   "full)");
    options.Text("against", "SOURCE", verify_.against,
                 "the images must equal the files of this tree byte for byte; "
                 "of several: train=DIR,val=DIR");
    options.Text("list", "FILE", verify_.list,
                 "with --against: the .lst or JSON list that was packed, for "
                 "keys that are no paths, as of files that it names twice");
    options.Text("list-root", "DIR", verify_.list_root,
                 "the --list-root that was given with it");
    options.BeginGroup("Run");
    options.Number("jobs,j", jobs_, {1, 1024},
                   "worker threads (default: what this process may use)");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    verify_.target = operands[0];
    verify_.threads = static_cast<unsigned>(jobs_);
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "verifying " + EscapeBytes(verify_.target) + " ...", "verifying");
    const auto result = Verify(verify_, {.progress = progress.function(),
                                         .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written = json_
                               ? PrintJson(*result, progress.seconds(), output)
                               : PrintText(*result, progress.seconds(), output);
    if (!written.ok()) return written;
    return ExitCodeOf(result->findings);
  }

 private:
  Status PrintJson(const VerifyResult& result, double seconds,
                   Output& output) const {
    Json findings = Json::array();
    for (const Status& finding : result.findings) {
      findings.push_back(FindingJson(finding));
    }
    return output.Write(JsonLine({{"target", JsonText(verify_.target)},
                                  {"sound", result.findings.empty()},
                                  {"shards", result.shards},
                                  {"samples", result.samples},
                                  {"bytes", result.bytes},
                                  {"seconds", seconds},
                                  {"findings", std::move(findings)},
                                  {"notes", result.notes}}));
  }

  // Findings are what the verb was asked for, so they go to standard output
  // like the summary.
  Status PrintText(const VerifyResult& result, double seconds,
                   Output& output) const {
    for (const Status& finding : result.findings) {
      const Status status = output.Write(finding.ToString() + "\n");
      if (!status.ok()) return status;
    }
    for (const std::string& note : result.notes) {
      const Status status = output.Write("note: " + PrintableLine(note) + "\n");
      if (!status.ok()) return status;
    }
    const std::string advice =
        RepairAdvice(result.findings) +
        (verify_.list.empty() ? ListAdvice(result.findings) : "");
    if (Status status = output.Write(advice); !status.ok()) {
      return status;
    }
    const double rate =
        seconds > 0 ? static_cast<double>(result.bytes) / seconds / 1e6 : 0;
    const std::string verdict =
        result.findings.empty()
            ? "sound"
            : FormatCount(result.findings.size(), "finding");
    return output.Write(EscapeBytes(verify_.target) + ": " + verdict + ": " +
                        FormatCount(result.samples, "sample") + " in " +
                        FormatCount(result.shards, "shard") + ", " +
                        FormatBytes(result.bytes) + " in " +
                        FormatFixed(seconds, 2) + " s, " +
                        FormatFixed(rate, 1) + " MB/s\n");
  }

  VerifyOptions verify_;
  std::uint64_t jobs_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeVerifyVerb() {
  return std::make_unique<VerifyVerb>();
}

}  // namespace shardine
