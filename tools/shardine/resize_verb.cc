#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/interrupt.h"
#include "cli/progress_reporter.h"
#include "cli/resize_option_group.h"
#include "cli/resize_report.h"
#include "shardine/resize.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

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

// Of a second run into shards, where the sources are trees or lists.
constexpr char kNotCompared[] =
    "names, labels and sizes of the sources are as they were; contents were "
    "not compared";

enum class Preset { kNone, kImagenet18 };

enum class Target { kTree, kShards };

// What a tree, which has no classes, splits or shards, can do nothing with.
constexpr const char* kShardsOnly[] = {
    "label-map",       "label-offset",   "val-labels",    "unlabelled",
    "class-text",      "bounding-boxes", "empty-classes", "min-per-class",
    "hold-out",        "split",          "format",        "shards",
    "shard-size",      "seed",           "no-shuffle",    "entry-points",
    "replace",         "dry-run",        "unite-classes", "lossy-labels",
    "numbered-classes"};

class ResizeVerb : public Verb {
 public:
  Usage usage() const override {
    return {"SOURCE... OUT", 2, 1000, kResizeText};
  }

  void Declare(Options& options) override {
    group_.DeclareSource(options);
    options.BeginGroup("Images");
    group_.DeclareSizes(options, " without --preset");
    options.Choice(
        "preset", {{"imagenet18", Preset::kImagenet18}}, preset_,
        "the images and folders of imagenet18's imagenet-sz: Pillow's "
        "bilinear, "
        "RGB, quality 75, in OUT/160 and OUT/320 instead of OUT/sz/SIZE");
    group_.DeclareImages(options);
    options.BeginGroup("Output");
    options.Choice("to", {{"tree", Target::kTree}, {"shards", Target::kShards}},
                   target_, "files or datasets (default: tree)");
    group_.DeclareShards(options);
    job_.Declare(options);
    job_.DeclareReplace(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    if (Status status = Check(options); !status.ok()) return status;
    if (Status taken = group_.Take(operands, options); !taken.ok()) {
      return taken;
    }
    if (preset_ == Preset::kImagenet18) FollowImagenet18();
    const std::string first = ResizeScanText(operands);
    return target_ == Target::kTree ? ToTree(first, output)
                                    : ToShards(first, output);
  }

  Inputs inputs() const override { return Inputs::kSources; }

  std::string AdviceOn(const Status& status) const override {
    const Where& where = status.where();
    // Shards that do not read back name a key too, and a file of the output: no
    // choice of on-bad mends a disk.
    const bool source = where.key && !where.path.starts_with(group_.output());
    const bool bad =
        status.code() == Code::kCorrupt || status.code() == Code::kIo;
    if (!bad || !source) {
      return target_ == Target::kShards ? DatasetJob::ReplaceAdvice(status)
                                        : "";
    }
    return "--on-bad skip, quarantine or keep goes on without failing";
  }

 private:
  Status Check(const Options& options) const {
    const auto invalid = [](std::string message) {
      return Status(Code::kInvalidArgument, std::move(message));
    };
    if (!options.given("short-side") && preset_ == Preset::kNone) {
      return invalid("--short-side is needed");
    }
    const std::string decided = group_.FirstOfImages(options);
    if (preset_ != Preset::kNone && !decided.empty()) {
      return invalid(decided + " is what --preset decides");
    }
    if (preset_ != Preset::kNone && target_ == Target::kShards) {
      return invalid("--preset is for --to tree");
    }
    if (target_ == Target::kShards) return Status();
    for (const char* name : kShardsOnly) {
      // An option that would do nothing is refused: whoever gave it expects a
      // dataset.
      if (options.given(name)) {
        return invalid(std::string("--") + name + " is for --to shards");
      }
    }
    return Status();
  }

  // What its resize_images.py does with Pillow, which makes gray images RGB and
  // saves at 75, 4:2:0, unless told.
  void FollowImagenet18() {
    ResizeShardsOptions& resize = group_.resize();
    resize.image.quality = 75;
    resize.image.color = ColorMode::kColor;
    if (resize.short_sides.empty()) resize.short_sides = {160, 320};
  }

  Result<ExitCode> ToTree(const std::string& first, Output& output) {
    const ResizeShardsOptions& asked = group_.resize();
    ResizeOptions resize;
    resize.source = asked.source;
    resize.named = group_.named();
    resize.output = asked.output;
    resize.short_sides = asked.short_sides;
    resize.bare_sizes = preset_ == Preset::kImagenet18;
    resize.image = asked.image;
    resize.on_bad = asked.on_bad;
    resize.threads = job_.threads();
    InterruptWatcher interrupt;
    ProgressReporter progress(first, "resizing");
    const auto result = ResizeTree(resize, {.progress = progress.function(),
                                            .stop = interrupt.stop_token()});
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
    // The run that made the tree has said so with its exit code; a second one
    // rejected nothing.
    if (result.nothing_to_do) return false;
    for (const RejectedCount& entry : result.rejected) {
      if (entry.count > 0 && entry.action != "keep") return true;
    }
    return false;
  }

  Result<ExitCode> ToShards(const std::string& first, Output& output) {
    group_.resize().threads = job_.threads();
    group_.resize().replace = job_.replace();
    group_.resize().dry_run = job_.dry_run();
    return job_.Run(
        {first, "resizing", "resized", kNotCompared},
        [&](const Job& job) { return ResizeShards(group_.resize(), job); },
        output);
  }

  Target target_ = Target::kTree;
  Preset preset_ = Preset::kNone;
  ResizeOptionGroup group_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeResizeVerb() {
  return std::make_unique<ResizeVerb>();
}

}  // namespace shardine
