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
#include "shardine/extract.h"
#include "shardine/extract_words.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kExtractExamples[] =
    "shardine extract out images\n"
    "shardine extract out by-class --names class/id\n";

constexpr char kExportExamples[] =
    "shardine export coco boxes coco\n"
    "shardine export yolo boxes yolo --names id\n";

constexpr char kExportText[] =
    "Writes every image of DATASET, as extract does, and its annotations in "
    "the\n"
    "form that FORM names:\n"
    "  coco  DIR/annotations/instances_SPLIT.json, captions_SPLIT.json\n"
    "  voc   DIR/JPEGImages, DIR/Annotations, DIR/ImageSets/Main\n"
    "  yolo  DIR/images/SPLIT, DIR/labels/SPLIT, DIR/data.yaml\n"
    "  hf    DIR/metadata.jsonl, one in each folder of a split: an image "
    "folder\n"
    "        of Hugging Face's datasets, with all fields\n"
    "What a form cannot hold is counted and said.\n";

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
std::string Left(const ExtractResult& result, bool is_export) {
  if (result.fields_left == 0) return "";
  return "  " + FormatCount(result.fields_left, "field") + " not written: " +
         (is_export ? "the form has no place for them"
                    : "only encoded images are; shardine convert --format "
                      "webdataset gives files of all") +
         "\n";
}

std::string Noted(const ExtractResult& result) {
  std::string text;
  for (const std::string& note : result.notes) text += "  " + note + "\n";
  return text;
}

// Both verbs: an export is an extraction in a form of annotations.
class ExtractVerb : public Verb {
 public:
  explicit ExtractVerb(bool is_export) : is_export_(is_export) {}

  Usage usage() const override {
    if (is_export_) {
      return {"FORM DATASET DIR", 3, 3, kExportText, kExportExamples};
    }
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
    if (is_export_) {
      extract_.form = EnumOf<ExportForm>(operands[0]);
      if (!extract_.form) {
        return Status(
            Code::kInvalidArgument,
            "form \"" + EscapeBytes(operands[0]) + "\": coco, voc, yolo or hf");
      }
    }
    extract_.dataset = operands[operands.size() - 2];
    extract_.directory = operands.back();
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "reading the index of " + EscapeBytes(extract_.dataset) + " ...",
        is_export_ ? "exporting" : "extracting");
    const auto result = ExtractDataset(
        extract_,
        {.progress = progress.function(), .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written = output.Write(
        json_ ? JsonLine({{"directory", JsonText(extract_.directory)},
                          {"files", result->files},
                          {"kept", result->kept},
                          {"bytes", result->bytes},
                          {"fields_left", result->fields_left},
                          {"annotation_files", result->annotation_files},
                          {"notes", result->notes},
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
    return (is_export_ ? "exported " : "extracted ") +
           FormatCount(result.files, "image") + ", " +
           FormatBytes(result.bytes) + ": " + EscapeBytes(extract_.directory) +
           "\n" + Kept(result) + Annotations(result) +
           Left(result, is_export_) + Noted(result) +
           RejectedText(result.rejected);
  }

  static std::string Annotations(const ExtractResult& result) {
    if (result.annotation_files == 0) return "";
    return "  " + FormatCount(result.annotation_files, "file") +
           " of annotations\n";
  }

  const bool is_export_;
  ExtractOptions extract_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeExtractVerb() {
  return std::make_unique<ExtractVerb>(/*is_export=*/false);
}

std::unique_ptr<Verb> MakeExportVerb() {
  return std::make_unique<ExtractVerb>(/*is_export=*/true);
}

}  // namespace shardine
