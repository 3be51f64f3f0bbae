#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "cli/source_operands.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/pack.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kPackExamples[] =
    "shardine pack photos out\n"
    "shardine pack train=photos val=more both --format webdataset --shards 2\n";

constexpr char kPackText[] =
    "Packs the images of SOURCE into shuffled shards in the folder OUT. Bytes\n"
    "pass through untouched; each shard is read back before it gets its name.\n"
    "The same command goes on where an interrupted one ended.\n"
    "\n"
    "--variants original,sz/160,sz/320 also makes the datasets OUT/sz/160 and\n"
    "OUT/sz/320 of the images at short sides of 160 and 320 pixels, with the\n"
    "same ids, keys, labels, order and shards, by one decode of each image.\n"
    "Without original, OUT itself holds no dataset.\n"
    "\n";

class PackVerb : public Verb {
 public:
  Usage usage() const override {
    static const std::string text = std::string(kPackText) + kSourceHelp;
    return {"SOURCE... OUT", 2, 1000, text, kPackExamples};
  }

  OptionList described() override { return DescribeOptions(pack_); }

  void Declare(Options& options) override {
    job_.Declare(options);
    options.Flag("dry-run", dry_run_, "print the plan and write nothing");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    const Status taken =
        TakeSourcesAndOutput(operands, pack_.source, pack_.output);
    if (!taken.ok()) return taken;
    entry_points_given_ = options.given("entry-points");
    const std::string first =
        ScanningText({operands.begin(), operands.end() - 1});
    return dry_run_ ? Plan(first, output)
                    : Pack(first, NotCompared(operands), output);
  }

  Inputs inputs() const override { return Inputs::kSources; }

  std::string AdviceOn(const Status& status) const override {
    // Entry points and sizes are part of a plan, so asking for others is
    // refused like any change. For these two, a verb adds to the existing
    // dataset.
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
    if (auto advice = DatasetJob::ReplaceAdvice(status); !advice.empty()) {
      return advice;
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
  Result<ExitCode> Plan(const std::string& first, Output& output) {
    ProgressReporter progress(first, "planning");
    const auto plan = PlanPack(pack_, {.say = progress.say()});
    progress.Stop();
    if (!plan.ok()) return plan.status();
    const Status written =
        output.Write(job_.json() ? JsonLine(PlanJson(*plan)) : PlanText(*plan));
    if (!written.ok()) return written;
    // The exit code of the pack itself.
    const bool fits = !pack_.check_space || plan->disk_known <= plan->disk_free;
    return fits ? ExitCode::kDone : ExitCode::kLocalIo;
  }

  // The note of a second run over a complete dataset, which reads no image.
  std::string NotCompared(const std::vector<std::string>& operands) const {
    const std::string text =
        "names, labels and sizes are as they were packed; contents were not "
        "compared";
    // Images at other sizes, or encoded again, cannot be compared with files of
    // a tree.
    if (!pack_.variants.original || pack_.recode.recode) return text;
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
  bool entry_points_given_ = false;
  bool dry_run_ = false;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakePackVerb() { return std::make_unique<PackVerb>(); }

}  // namespace shardine
