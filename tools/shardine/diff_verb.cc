#include <string>
#include <vector>

#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/progress_reporter.h"
#include "shardine/diff.h"
#include "shardine/escape.h"
#include "shardine/printable.h"
#include "shardine/verb.h"
#include "shardine/verify_words.h"

namespace shardine {
namespace {

constexpr char kDiffExamples[] =
    "shardine diff out copy\n"
    "shardine diff out copy --json\n";

constexpr char kDiffText[] =
    "Compares the datasets A and B by content, whatever their formats. A line\n"
    "for each difference, tabs between: added, removed, changed, relabelled "
    "or\n"
    "renamed; split; key; then the labels in A and in B (relabelled), or "
    "split\n"
    "and key in B (renamed). Exits with 4 if there are any.\n";

struct KindCount {
  const char* word;
  std::uint64_t count;
};

// The counts in the order of printing.
std::vector<KindCount> CountsOf(const DiffResult& result) {
  return {{WordOf(DifferenceKind::kAdded), result.added},
          {WordOf(DifferenceKind::kRemoved), result.removed},
          {WordOf(DifferenceKind::kChanged), result.changed},
          {WordOf(DifferenceKind::kRelabelled), result.relabelled},
          {WordOf(DifferenceKind::kRenamed), result.renamed}};
}

std::string LabelsText(std::span<const Label> labels) {
  std::string text;
  for (const Label& label : labels) {
    text += (text.empty() ? "" : ",") + label.ToString();
  }
  return text;
}

// Names are escaped, so that no key can have a tab or a line break: scripts cut
// these lines at tabs.
std::string Line(const Difference& difference) {
  std::string line = std::string(WordOf(difference.kind)) + "\t" +
                     EscapeBytes(difference.split) + "\t" +
                     EscapeBytes(difference.key);
  if (difference.kind == DifferenceKind::kRelabelled) {
    line += "\t" + LabelsText(difference.labels) + "\t" +
            LabelsText(difference.other_labels);
  }
  if (difference.kind == DifferenceKind::kRenamed) {
    line += "\t" + EscapeBytes(difference.other_split) + "\t" +
            EscapeBytes(difference.other_key);
  }
  return line + "\n";
}

std::string Summary(const DiffResult& result) {
  std::string text = FormatCount(result.same, "sample") + " the same";
  for (const auto& [word, count] : CountsOf(result)) {
    if (count > 0) text += ", " + std::to_string(count) + " " + word;
  }
  text += "\n";
  for (const std::string& note : result.notes)
    text += "note: " + MessageLine(note) + "\n";

  return text;
}

Json SummaryJson(const DiffResult& result) {
  Json json = {{"equal", result.equal()}, {"same", result.same}};
  for (const auto& [word, count] : CountsOf(result)) json[word] = count;
  json["notes"] = result.notes;
  return json;
}

class DiffVerb : public Verb {
 public:
  Usage usage() const override {
    return {"A B", 2, 2, kDiffText, kDiffExamples};
  }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print the counts only, as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    ProgressReporter progress("comparing " + EscapeBytes(operands[0]) +
                                  " with " + EscapeBytes(operands[1]) + " ...",
                              "comparing");
    const auto result =
        Diff(operands[0], operands[1], [&](const Difference& difference) {
          // The object has counts alone: lists of differences have no bound,
          // and are streamed as text.
          if (json_) return Status();
          progress.Stop();  // lines that may go to the same terminal
          return output.Write(Line(difference));
        });
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written =
        output.Write(json_ ? JsonLine(SummaryJson(*result)) : Summary(*result));
    if (!written.ok()) return written;
    // As diff and cmp do, the exit code says whether the two are equal, for
    // scripts that never look at the lines.
    return result->equal() ? ExitCode::kDone : ExitCode::kDamaged;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeDiffVerb() { return std::make_unique<DiffVerb>(); }

}  // namespace shardine
