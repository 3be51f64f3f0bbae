#include <algorithm>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "shardine/audit.h"
#include "shardine/audit_words.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kAuditExamples[] =
    "shardine audit out\n"
    "shardine audit train=photos val=more --fail-on leakage --clean "
    "clean.lst\n";

constexpr char kAuditText[] =
    "Finds images that the datasets have more than once, byte for byte: in "
    "two\n"
    "splits (leakage), with different labels (label-conflict), or twice in a\n"
    "split (duplicate). A line for each, tabs between: the findings; then of\n"
    "each sample split, key and class. The indexes give the candidates, whose\n"
    "images are read again and compared. SOURCE is a folder of images that is\n"
    "no dataset, or several: train=DIR val=DIR.\n";

// An object has no more images; lines have all.
constexpr std::size_t kMostInJson = 1000;

std::string Word(AuditFinding finding) { return WordOf(finding); }

std::string FindingsText(const CopiedImage& image) {
  std::string text;
  for (const AuditFinding finding : image.findings) {
    text += (text.empty() ? "" : ",") + Word(finding);
  }
  return image.is_proved ? text : text + ",unproved";
}

// Names are escaped, so that no key can have a tab or a line break.
std::string Line(const CopiedImage& image) {
  std::string line = FindingsText(image);
  for (const AuditedSample& sample : image.samples) {
    line += "\t" + EscapeBytes(sample.split) + "\t" + EscapeBytes(sample.key) +
            "\t" + EscapeBytes(sample.label_text);
  }
  return line + "\n";
}

Json ImageJson(const CopiedImage& image) {
  Json findings = Json::array();
  for (const AuditFinding finding : image.findings) {
    findings.push_back(Word(finding));
  }
  Json samples = Json::array();
  for (const AuditedSample& sample : image.samples) {
    Json labels = Json::array();
    for (const Label& label : sample.labels) labels.push_back(JsonLabel(label));
    samples.push_back({{"split", JsonText(sample.split)},
                       {"key", JsonText(sample.key)},
                       {"id", sample.id},
                       {"labels", std::move(labels)},
                       {"label_text", JsonText(sample.label_text)}});
  }
  return {{"findings", std::move(findings)},
          {"proved", image.is_proved},
          {"samples", std::move(samples)}};
}

std::string Summary(const AuditResult& result) {
  std::string text = FormatCount(result.samples, "sample") + ", " +
                     FormatBytes(result.bytes) + " of images read again\n";
  const auto row = [&](AuditFinding finding, const std::string& said) {
    std::string name = Word(finding);
    name.resize(16, ' ');
    text += "  " + name + said + "\n";
  };
  if (result.splits.empty() && result.leaking > 0) {
    row(AuditFinding::kLeakage,
        FormatCount(result.leaking, "image") + " in several splits");
  }
  for (const SplitCopies& copies : result.splits) {
    row(AuditFinding::kLeakage, EscapeBytes(ToString(copies)));
  }
  row(AuditFinding::kLabelConflict,
      FormatCount(result.conflicting, "image") + " with different labels");
  row(AuditFinding::kDuplicate, FormatCount(result.duplicates, "sample") +
                                    " like an earlier one of the same split");
  if (result.unproved > 0) {
    text += "  unproved: " + FormatCount(result.unproved, "image") +
            " by checksum and size alone\n";
  }
  if (result.images < result.samples) {
    text += "  not compared: " +
            FormatCount(result.samples - result.images, "sample") +
            " without an image that has a checksum of its own\n";
  }
  for (const std::string& list : result.lists) {
    text += "  wrote " + EscapeBytes(list) + "\n";
  }
  if (!result.lists.empty()) {
    text += "  left out: " + FormatCount(result.left_out, "sample") + "\n";
  }
  return text;
}

class AuditVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET|SOURCE...", 1, 100, kAuditText, kAuditExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override { return DescribeOptions(audit_); }

  void Declare(Options& options) override {
    options.BeginGroup("Checks");
    options.Parsed(
        "fail-on", "FINDING[,...]",
        [this](const std::string& text) { return TakeFailures(text); },
        "exit with 8 if there are any: leakage, label-conflict, duplicate");
    options.BeginGroup("Output");
    options.Flag("json", json_,
                 "print the counts and the first 1000 images as one JSON "
                 "object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    audit_.datasets = operands;
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "looking at " + EscapeBytes(operands[0]) +
            (operands.size() > 1 ? " and others ..." : " ..."),
        "auditing");
    Json images = Json::array();
    const auto show = [&](const CopiedImage& image) {
      if (json_) {
        if (images.size() < kMostInJson) images.push_back(ImageJson(image));
        return Status();
      }
      progress.Stop();  // lines that may go to the same terminal
      return output.Write(Line(image));
    };
    const auto result = Audit(
        audit_, show,
        {.progress = progress.function(), .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written =
        output.Write(json_ ? JsonLine(ResultJson(*result, std::move(images)))
                           : Summary(*result));
    if (!written.ok()) return written;
    const bool fails = std::ranges::any_of(
        fail_on_, [&](AuditFinding finding) { return result->has(finding); });
    return fails ? ExitCode::kFindings : ExitCode::kDone;
  }

 private:
  Status TakeFailures(const std::string& text) {
    std::vector<std::string> words;
    Status status = NamesValue(words).set(text);
    for (const std::string& word : words) {
      if (!status.ok()) break;
      AuditFinding finding = AuditFinding::kLeakage;
      status = WordValue(finding).set(word);
      fail_on_.push_back(finding);
    }
    return status;
  }

  static Json ResultJson(const AuditResult& result, Json images) {
    return {{"samples", result.samples},
            {"images", result.images},
            {"bytes", result.bytes},
            {"leaking", result.leaking},
            {"conflicting", result.conflicting},
            {"duplicates", result.duplicates},
            {"unproved", result.unproved},
            {"splits", CopiesJson(result.splits)},
            {"left_out", result.left_out},
            {"lists", PathsJson(result.lists)},
            {"copies", std::move(images)}};
  }

  AuditOptions audit_;
  std::vector<AuditFinding> fail_on_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeAuditVerb() { return std::make_unique<AuditVerb>(); }

}  // namespace shardine
