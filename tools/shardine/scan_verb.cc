#include <string>
#include <string_view>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"
#include "shardine/scan.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kScanExamples[] =
    "shardine scan photos\n"
    "shardine scan photos --check decode --json\n";

constexpr char kScanText[] =
    "Prints what the images below TREE, a folder or one file, are: how many "
    "of\n"
    "each kind, with each problem and with what else is worth knowing, and "
    "their\nsizes in pixels. Exit code 3 if any has a problem.\n";

Json TalliesJson(const std::vector<ScanTally>& tallies) {
  Json json = Json::array();
  for (const ScanTally& tally : tallies) {
    Json keys = Json::array();
    for (const std::string& key : tally.keys) keys.push_back(JsonText(key));
    json.push_back({{"word", JsonText(tally.word)},
                    {"count", tally.count},
                    {"first", std::move(keys)}});
  }
  return json;
}

Json SpreadJson(const ScanSpread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

// "  chroma: 4 4:2:0, 1 4:4:4"
std::string LineOf(std::string_view name,
                   const std::vector<ScanTally>& tallies) {
  std::string words;
  for (const ScanTally& tally : tallies) {
    words += (words.empty() ? "" : ", ") + std::to_string(tally.count) + " " +
             EscapeBytes(tally.word);
  }
  return words.empty() ? "" : "  " + std::string(name) + ": " + words + "\n";
}

// "  width: 128 to 500, median 310"
std::string LineOf(std::string_view name, const ScanSpread& spread) {
  std::string line =
      "  " + std::string(name) + ": " + std::to_string(spread.min);
  if (spread.max > spread.min) {
    line += " to " + std::to_string(spread.max) + ", median " +
            std::to_string(spread.median);
  }
  return line + "\n";
}

// "  7 no-end-marker: a.jpg b.jpg c.jpg d.jpg e.jpg ..."
std::string ProblemLine(const ScanTally& tally) {
  std::string line =
      "  " + std::to_string(tally.count) + " " + EscapeBytes(tally.word) + ":";
  for (const std::string& key : tally.keys) line += " " + EscapeBytes(key);
  // The tally keeps the first keys only; three dots say that the line is no
  // complete list.
  return line + (tally.count > tally.keys.size() ? " ...\n" : "\n");
}

// "  beside images: 120 .txt; pack ... --fields txt=.txt takes them"
std::string NeighbourLine(const std::vector<ScanTally>& neighbours) {
  std::string line = LineOf("beside images", neighbours);
  if (line.empty()) return line;
  std::string fields;
  for (const ScanTally& tally : neighbours) {
    fields += (fields.empty() ? "" : ",") + EscapeBytes(tally.word.substr(1)) +
              "=" + EscapeBytes(tally.word);
  }
  line.insert(line.size() - 1,
              "; pack --format webdataset --fields " + fields + " takes them");
  return line;
}

class ScanVerb : public Verb {
 public:
  Usage usage() const override {
    return {"TREE", 1, 1, kScanText, kScanExamples};
  }

  OptionList described() override { return DescribeOptions(scan_); }

  void Declare(Options& options) override {
    options.BeginGroup(kRunGroup);
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    scan_.target = operands[0];
    InterruptWatcher interrupt;
    ProgressReporter progress("scanning " + EscapeBytes(scan_.target) + " ...",
                              "scanning");
    const auto result = Scan(scan_, {.progress = progress.function(),
                                     .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written =
        output.Write(json_ ? JsonOf(*result) : TextOf(*result));
    if (!written.ok()) return written;
    // As pack would end with under an on-bad that goes on, so that a scan can
    // stand before it in a script.
    return result->bad == 0 ? ExitCode::kDone : ExitCode::kRejected;
  }

  Inputs inputs() const override { return Inputs::kSources; }

 private:
  std::string JsonOf(const ScanResult& result) const {
    return JsonLine({{"target", JsonText(scan_.target)},
                     {"files", result.files},
                     {"bytes", result.bytes},
                     {"bad", result.bad},
                     {"sized", result.sized},
                     {"kinds", TalliesJson(result.kinds)},
                     {"problems", TalliesJson(result.problems)},
                     {"codings", TalliesJson(result.codings)},
                     {"chroma", TalliesJson(result.chroma)},
                     {"traits", TalliesJson(result.traits)},
                     {"ignored", TalliesJson(result.ignored)},
                     {"others", TalliesJson(result.others)},
                     {"neighbours", TalliesJson(result.neighbours)},
                     {"warnings", result.warnings},
                     {"width", SpreadJson(result.width)},
                     {"height", SpreadJson(result.height)},
                     {"short_side", SpreadJson(result.short_side)}});
  }

  std::string TextOf(const ScanResult& result) const {
    std::string text = EscapeBytes(scan_.target) + ": " +
                       FormatCount(result.files, "image") + ", " +
                       FormatBytes(result.bytes) + ", " +
                       FormatCount(result.bad, "problem") + "\n";
    for (const ScanTally& problem : result.problems) {
      text += ProblemLine(problem);
    }
    text += LineOf("kinds", result.kinds) + LineOf("coding", result.codings) +
            LineOf("chroma", result.chroma) + LineOf("with", result.traits);
    // Spreads of no image would say sizes of 0 pixels.
    if (result.sized > 0) {
      text += LineOf("width", result.width) + LineOf("height", result.height) +
              LineOf("short side", result.short_side);
    }
    return text + LineOf("ignored", result.ignored) +
           LineOf("other files", result.others) +
           NeighbourLine(result.neighbours) + WarningText(result.warnings);
  }

  ScanOptions scan_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeScanVerb() { return std::make_unique<ScanVerb>(); }

}  // namespace shardine
