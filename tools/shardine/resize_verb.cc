#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/interrupt.h"
#include "cli/progress_reporter.h"
#include "cli/resize_report.h"
#include "cli/source_operands.h"
#include "shardine/describe.h"
#include "shardine/resize.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kResizeExamples[] =
    "shardine resize photos small --short-side 128\n"
    "shardine resize photos shards --short-side 64,128 --to shards\n";

constexpr char kResizeText[] =
    "Makes the images of SOURCE anew in one or several sizes, by one read and\n"
    "one decode of each: as files, OUT/sz/SIZE/KEY with the suffix of the\n"
    "encoding, or as datasets OUT/sz/SIZE. The same command goes on where an\n"
    "interrupted one ended; files and shards that are whole stay.\n"
    "\n"
    "--preset imagenet18 train=DIR validation=DIR imagenet-sz makes the tree "
    "that\n"
    "imagenet18 trains from: imagenet-sz/160/train/CLASS/NAME.JPEG and so on.\n"
    "\n"
    "SOURCE is a folder, or several as NAME=DIR. For files every image below\n"
    "counts, and those of a NAME=DIR come to OUT/sz/SIZE/NAME/KEY. For "
    "datasets\n"
    "it is what shardine pack takes, or a dataset, of which images that are\n"
    "arrays of pixels become arrays again.\n";

// The note of a second run into shards from trees or lists.
constexpr char kNotCompared[] =
    "names, labels and sizes of the sources are as they were; contents were "
    "not compared";

class ResizeVerb : public Verb {
 public:
  Usage usage() const override {
    return {"SOURCE... OUT", 2, 1000, kResizeText, kResizeExamples};
  }

  OptionList described() override { return DescribeOptions(request_); }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    ResizeShardsOptions& resize = request_.resize;
    const Status taken =
        TakeSourcesAndOutput(operands, resize.source, resize.output);
    if (!taken.ok()) return taken;
    // A source that was written as NAME=DIR is not its own path.
    request_.named = resize.source.folders[0].path != operands[0];
    const std::string first =
        ScanningText({operands.begin(), operands.end() - 1});
    return request_.to == ResizeTarget::kTree ? ToTree(first, output)
                                              : ToShards(first, output);
  }

  Inputs inputs() const override { return Inputs::kSources; }

  std::string AdviceOn(const Status& status) const override {
    const Where& where = status.where();
    if (status.code() == Code::kInvalidArgument &&
        request_.to == ResizeTarget::kTree && IsDataset(where.path)) {
      return "it is a dataset, which --to shards resizes";
    }
    // Shards that do not read back name a key too, and a file of the output: no
    // choice of on-bad mends a disk.
    const bool source =
        where.key && !where.path.starts_with(request_.resize.output);
    const bool bad =
        status.code() == Code::kCorrupt || status.code() == Code::kIo;
    if (!bad || !source) {
      return request_.to == ResizeTarget::kShards
                 ? DatasetJob::ReplaceAdvice(status)
                 : "";
    }
    return "--on-bad skip, quarantine or keep goes on without failing";
  }

 private:
  static bool IsDataset(const std::string& folder) {
    std::error_code ignored;
    return !folder.empty() &&
           std::filesystem::exists(
               std::filesystem::path(folder) / "shardine.json", ignored);
  }

  Result<ExitCode> ToTree(const std::string& first, Output& output) {
    const ResizeOptions resize = TreeOptions(request_);
    InterruptWatcher interrupt;
    ProgressReporter progress(first, "resizing");
    const auto result = ResizeTree(resize, {.progress = progress.function(),
                                            .stop = interrupt.stop_token(),
                                            .say = progress.say()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const double seconds = progress.seconds();
    const Status written =
        output.Write(job_.json() ? JsonLine(ResizeJson(*result, seconds))
                                 : ResizeText(*result, seconds));
    if (!written.ok()) return written;
    return LeftOut(*result) ? ExitCode::kRejected : ExitCode::kDone;
  }

  static bool LeftOut(const ResizeResult& result) {
    // The run that made the tree has reported it by its exit code; a second one
    // rejected nothing.
    if (result.nothing_to_do) return false;
    for (const RejectedCount& entry : result.rejected) {
      if (entry.count > 0 && entry.action != "keep") return true;
    }
    return false;
  }

  Result<ExitCode> ToShards(const std::string& first, Output& output) {
    return job_.Run(
        {first, "resizing", "resized", kNotCompared},
        [&](const Job& job) { return ResizeShards(request_.resize, job); },
        output, request_.resize.dry_run);
  }

  ResizeRequest request_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeResizeVerb() {
  return std::make_unique<ResizeVerb>();
}

}  // namespace shardine
