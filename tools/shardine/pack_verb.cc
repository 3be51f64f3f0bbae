#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/entry_point_option.h"
#include "cli/image_option_group.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "cli/source_options.h"
#include "shardine/escape.h"
#include "shardine/pack.h"
#include "shardine/pack_words.h"
#include "shardine/variant_text.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Packs the images of SOURCE into shuffled shards in the folder OUT. Bytes\n"
    "pass through untouched; each shard is read back before it gets its name.\n"
    "The same command goes on where an interrupted one ended.\n"
    "\n"
    "--variants original,sz/160,sz/320 also makes the datasets OUT/sz/160 and\n"
    "OUT/sz/320 of the images at short sides of 160 and 320 pixels, with the\n"
    "same ids, keys, labels, order and shards, by one decode of each image.\n"
    "Without original, OUT itself holds no dataset.\n"
    "\n";

// "photos" or "train=a, val=b", as the user wrote it.
std::string Sources(const std::vector<std::string>& operands) {
  std::string text;
  for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
    text += (i > 0 ? ", " : "") + EscapeBytes(operands[i]);
  }
  return text;
}

class PackVerb : public Verb {
 public:
  Usage usage() const override {
    static const std::string text = std::string(kText) + kSourceHelp;
    return {"SOURCE... OUT", 2, 1000, text};
  }

  void Declare(Options& options) override {
    DeclareSourceOptions(options, pack_.source);
    options.BeginGroup("Shards");
    options.Text("format", "NAME", pack_.format,
                 "format and layout of the shards, like tfrecord or lmdb/datum "
                 "(default: "
                 "recordio)");
    options.Number("shards", pack_.shards, {1}, "shards of each split");
    options.ByteSize("shard-size", pack_.shard_bytes,
                     "image bytes of a shard, like 64M or 1G: powers of 1024 "
                     "(default: 256M)");
    options.Number("seed", pack_.seed, {},
                   "of the shuffle, --split and --hold-out (default: 0)");
    options.Flag("no-shuffle", no_shuffle_, "keep the order of the ids");
    options.Flag("no-suffix", pack_.no_suffix,
                 "shards are train-00000-of-00008, without .rec and the like");
    DeclareImages(options);
    DeclareVariants(options);
    job_.Declare(options);
    job_.DeclareSpaceCheck(options);
    options.Flag("dry-run", dry_run_, "print the plan and write nothing");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    if (options.given("shards") && options.given("shard-size")) {
      return Status(Code::kInvalidArgument,
                    "--shards and --shard-size exclude each other");
    }
    auto folders = ParseSourceArguments({operands.begin(), operands.end() - 1});
    if (!folders.ok()) return folders.status();
    pack_.source.folders = *std::move(folders);
    const Status sizes = TakeVariants(options);
    if (!sizes.ok()) return sizes;
    // One option for both: shuffle and split are reproduced by one number.
    pack_.source.seed = pack_.seed;
    pack_.output = operands.back();
    pack_.shuffle = !no_shuffle_;
    pack_.threads = job_.threads();
    pack_.check_space = job_.check_space();
    entry_points_given_ = options.given("entry-points");
    const std::string first = "scanning " + Sources(operands) + " ...";
    return dry_run_ ? Plan(first, output)
                    : Pack(first, NotCompared(operands), output);
  }

  Inputs inputs() const override { return Inputs::kSources; }

  std::string AdviceOn(const Status& status) const override {
    // Entry points and sizes are part of a plan, so asking for others is
    // refused like any change. For these two there is a verb that adds to what
    // is there.
    if (status.code() == Code::kChanged && entry_points_given_ &&
        status.where().path == pack_.output) {
      return "shardine reindex OUT adds entry points to what is there, or "
             "removes "
             "them";
    }
    if (status.code() == Code::kChanged &&
        !pack_.variants.short_sides.empty() &&
        status.where().path == pack_.output) {
      return "sizes of what is there: shardine resize OUT SIZES --to shards "
             "--short-side S";
    }
    // Shards that do not read back name a file of the output.
    const Where& where = status.where();
    const bool source = where.key && !where.path.starts_with(pack_.output);
    const bool bad =
        status.code() == Code::kCorrupt || status.code() == Code::kIo;
    if (!bad || !source) return {};
    return "--on-bad skip, quarantine or keep goes on without failing";
  }

 private:
  void DeclareImages(Options& options) {
    options.BeginGroup("Images");
    options.Choice("on-bad", pack_.on_bad,
                   "what to do with a bad image (default: fail); quarantine "
                   "copies it to OUT/quarantine");
    options.Choice("check", pack_.check,
                   "how to find bad images (default: header); decode takes "
                   "warnings for damage, too, and is what is done where sizes "
                   "are made");
    DeclareEntryPoints(options, pack_.entry_points);
  }

  void DeclareVariants(Options& options) {
    options.BeginGroup("Variants");
    options.Parsed(
        "variants", "LIST",
        [this](const std::string& text) {
          return ParseVariants(text, pack_.variants);
        },
        "what to make, like original,sz/160,sz/320 (default: original); the "
        "options below are about the sizes");
    image_.Declare(options);
  }

  Status TakeVariants(const Options& options) {
    const std::string given = image_.FirstGiven(options);
    // An option of sizes without sizes would do nothing, and the user would
    // look for its effect in the originals.
    if (!given.empty() && pack_.variants.short_sides.empty()) {
      return Status(Code::kInvalidArgument,
                    given + " is about sizes, and --variants asks for none");
    }
    auto image = image_.Make(options);
    if (!image.ok()) return std::move(image).status();
    pack_.variants.image = *image;
    return Status();
  }

  Result<ExitCode> Plan(const std::string& first, Output& output) {
    ProgressReporter progress(first, "planning");
    const auto plan = PlanPack(pack_);
    progress.Stop();
    if (!plan.ok()) return plan.status();
    const Status written =
        output.Write(job_.json() ? JsonLine(PlanJson(*plan)) : PlanText(*plan));
    if (!written.ok()) return written;
    // What the pack itself would end with.
    const bool fits = !pack_.check_space || plan->disk_known <= plan->disk_free;
    return fits ? ExitCode::kDone : ExitCode::kLocalIo;
  }

  // Of a second run over a complete dataset, which reads no image.
  std::string NotCompared(const std::vector<std::string>& operands) const {
    const std::string text =
        "names, labels and sizes are as they were packed; contents were not "
        "compared";
    // Images at other sizes cannot be compared with files of a tree.
    if (!pack_.variants.original) return text;
    std::string sources;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
      sources += (i > 0 ? "," : "") + EscapeBytes(operands[i]);
    }
    if (!pack_.source.list.empty()) {
      sources += " --list " + EscapeBytes(pack_.source.list);
    }
    if (!pack_.source.list_root.empty()) {
      sources += " --list-root " + EscapeBytes(pack_.source.list_root);
    }
    return text + ": shardine verify " + EscapeBytes(operands.back()) +
           " --against " + sources + " does";
  }

  Result<ExitCode> Pack(const std::string& first,
                        const std::string& not_compared, Output& output) {
    return job_.Run(
        {first, "packing", "packed", not_compared},
        [&](const Job& job) { return shardine::Pack(pack_, job); }, output);
  }

  PackOptions pack_;
  ImageOptionGroup image_;
  bool no_shuffle_ = false;
  bool entry_points_given_ = false;
  bool dry_run_ = false;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakePackVerb() { return std::make_unique<PackVerb>(); }

}  // namespace shardine
