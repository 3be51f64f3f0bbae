#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/entry_point_option.h"
#include "cli/image_option_group.h"
#include "cli/interrupt.h"
#include "cli/progress_reporter.h"
#include "cli/resize_report.h"
#include "cli/source_options.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"
#include "shardine/resize.h"
#include "shardine/variant_text.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
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
    "label-map",  "label-offset",   "val-labels",    "unlabelled",
    "class-text", "bounding-boxes", "empty-classes", "min-per-class",
    "hold-out",   "split",          "format",        "shards",
    "shard-size", "seed",           "no-shuffle",    "entry-points"};

class ResizeVerb : public Verb {
 public:
  Usage usage() const override { return {"SOURCE... OUT", 2, 1000, kText}; }

  void Declare(Options& options) override {
    DeclareSourceOptions(options, source_);
    DeclareImages(options);
    options.BeginGroup("Output");
    options.Choice("to", {{"tree", Target::kTree}, {"shards", Target::kShards}},
                   target_, "files or datasets (default: tree)");
    options.Text("format", "NAME", shards_.format,
                 "format and layout of the shards (default: recordio, or that "
                 "of the dataset)");
    options.Number("shards", shards_.shards, {1}, "shards of each split");
    options.ByteSize("shard-size", shards_.shard_bytes,
                     "source bytes of a shard, like 64M or 1G: powers of 1024 "
                     "(default: 256M)");
    options.Number("seed", shards_.seed, {},
                   "of the shuffle, --split and --hold-out (default: 0)");
    options.Flag("no-shuffle", no_shuffle_, "keep the order of the ids");
    DeclareEntryPoints(options, shards_.entry_points);
    job_.Declare(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    if (Status status = Check(options); !status.ok()) return status;
    const std::vector<std::string> sources(operands.begin(),
                                           operands.end() - 1);
    auto folders = ParseSourceArguments(sources);
    if (!folders.ok()) return folders.status();
    auto image = images_.Make(options);
    if (!image.ok()) return image.status();
    image_ = *image;
    if (preset_ == Preset::kImagenet18) FollowImagenet18();
    source_.folders = *std::move(folders);
    // A source that was written as NAME=DIR is not its own path.
    named_ = source_.folders[0].path != sources[0];
    output_ = operands.back();
    std::string first = "scanning";
    for (const std::string& source : sources) {
      first += " " + EscapeBytes(source);
    }
    first += " ...";
    return target_ == Target::kTree ? ToTree(first, output)
                                    : ToShards(first, output);
  }

  Inputs inputs() const override { return Inputs::kSources; }

  std::string AdviceOn(const Status& status) const override {
    const Where& where = status.where();
    // Shards that do not read back name a key too, and a file of the output: no
    // choice of on-bad mends a disk.
    const bool source = where.key && !where.path.starts_with(output_);
    const bool bad =
        status.code() == Code::kCorrupt || status.code() == Code::kIo;
    if (!bad || !source) return {};
    return "--on-bad skip, quarantine or keep goes on without failing";
  }

 private:
  void DeclareImages(Options& options) {
    options.BeginGroup("Images");
    options.Parsed(
        "short-side", "160,320",
        [this](const std::string& text) {
          auto sides = ParseShortSides(text);
          if (!sides.ok()) return sides.status();
          short_sides_ = *std::move(sides);
          return Status();
        },
        "sizes to make: pixels of the shorter side; needed without --preset");
    options.Choice(
        "preset", {{"imagenet18", Preset::kImagenet18}}, preset_,
        "the images and folders of imagenet18's imagenet-sz: Pillow's "
        "bilinear, "
        "RGB, quality 75, in OUT/160 and OUT/320 instead of OUT/sz/SIZE");
    images_.Declare(options);
    options.Choice("on-bad", on_bad_,
                   "what to do with a bad image (default: fail); quarantine "
                   "copies it to OUT/quarantine, keep makes what can be made "
                   "of it");
  }

  Status Check(const Options& options) const {
    const auto invalid = [](std::string message) {
      return Status(Code::kInvalidArgument, std::move(message));
    };
    if (short_sides_.empty() && preset_ == Preset::kNone) {
      return invalid("--short-side is needed");
    }
    const std::string decided = images_.FirstGiven(options);
    if (preset_ != Preset::kNone && !decided.empty()) {
      return invalid(decided + " is what --preset decides");
    }
    if (preset_ != Preset::kNone && target_ == Target::kShards) {
      return invalid("--preset is for --to tree");
    }
    if (options.given("shards") && options.given("shard-size")) {
      return invalid("--shards and --shard-size exclude each other");
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
    image_.quality = 75;
    image_.color = ColorMode::kColor;
    if (short_sides_.empty()) short_sides_ = {160, 320};
  }

  Result<ExitCode> ToTree(const std::string& first, Output& output) {
    ResizeOptions resize;
    resize.source = source_;
    resize.named = named_;
    resize.output = output_;
    resize.short_sides = short_sides_;
    resize.bare_sizes = preset_ == Preset::kImagenet18;
    resize.image = image_;
    resize.on_bad = on_bad_;
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
    shards_.source = source_;
    // One option for both: shuffle and split are reproduced by one number.
    shards_.source.seed = shards_.seed;
    shards_.output = output_;
    shards_.short_sides = short_sides_;
    shards_.image = image_;
    shards_.shuffle = !no_shuffle_;
    shards_.on_bad = on_bad_;
    shards_.threads = job_.threads();
    return job_.Run(
        {first, "resizing", "resized", kNotCompared},
        [&](const Job& job) { return ResizeShards(shards_, job); }, output);
  }

  Target target_ = Target::kTree;
  SourceOptions source_;
  bool named_ = false;
  Preset preset_ = Preset::kNone;
  std::string output_;
  std::vector<std::uint32_t> short_sides_;
  ImageOptionGroup images_;
  ImageOptions image_;
  OnBad on_bad_ = OnBad::kFail;
  ResizeShardsOptions shards_;
  bool no_shuffle_ = false;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeResizeVerb() {
  return std::make_unique<ResizeVerb>();
}

}  // namespace shardine
