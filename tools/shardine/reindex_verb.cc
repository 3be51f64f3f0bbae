#include <string>
#include <vector>

#include "cli/entry_point_counts.h"
#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/progress_reporter.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/native_index.h"
#include "shardine/printable.h"
#include "shardine/reindex.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kReindexExamples[] =
    "shardine reindex out --entry-points none\n"
    "shardine reindex out --entry-points auto --json\n";

constexpr char kReindexText[] =
    "Gives DATASET, and the sizes below it, the entry points that it lacks, "
    "or\n"
    "takes them away. Shards, samples and digests stay as they are, also "
    "where\n"
    "the shards are another program's. The same command goes on where an\n"
    "interrupted one ended.\n"
    "\n"
    "With --native the operands are FILES, of a dataset or not, and each gets "
    "the\n"
    "index of its format's own tool, byte for byte: MXNet's rec2idx.py "
    "(beside\n"
    "the .rec), DALI's tfrecord2idx and wds2idx (in .shardine).\n";

Json DatasetJson(const ReindexedDataset& dataset) {
  return {{"path", JsonText(dataset.path)},
          {"samples", dataset.samples},
          {"entry_points", EntryPointJson(dataset.entry_points)},
          {"entry_point_bytes", dataset.entry_point_bytes},
          {"shard_bytes", dataset.shard_bytes},
          {"files_written", dataset.files_written},
          {"files_removed", dataset.files_removed}};
}

std::string IndexText(const NativeIndex& index) {
  return EscapeBytes(index.path) + ": " + FormatBytes(index.bytes) +
         (index.written ? "\n" : "; nothing to do\n");
}

Json IndexJson(const NativeIndex& index) {
  return {{"file", JsonText(index.file)},
          {"index", JsonText(index.path)},
          {"bytes", index.bytes},
          {"written", index.written}};
}

// "out: entry points of 12 images, 3.4 kB (1.9 %); 3 files written"
std::string DatasetText(const ReindexedDataset& dataset) {
  std::string text = EscapeBytes(dataset.path) + ": ";
  const std::string points = EntryPointText(dataset.entry_points);
  if (points.empty()) {
    text += "no entry points";
  } else {
    text += points + ", " + FormatBytes(dataset.entry_point_bytes) + " (" +
            FormatShare(dataset.entry_point_bytes, dataset.shard_bytes) + ")";
  }
  if (dataset.files_written > 0) {
    text += "; " + FormatCount(dataset.files_written, "file") + " written";
  }
  if (dataset.files_removed > 0) {
    text += "; " + FormatCount(dataset.files_removed, "file") + " removed";
  }
  if (dataset.files_written + dataset.files_removed == 0) {
    text += "; nothing to do";
  }
  return text + "\n";
}

class ReindexVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET | --native FILE...", 1, kMaxFiles, kReindexText,
            kReindexExamples};
  }

  OptionList described() override { return DescribeOptions(reindex_); }

  void Declare(Options& options) override {
    options.BeginGroup("Beside the shards");
    options.Flag("native", native_, "write the indexes of the formats' tools");
    options.Flag("replace", indexes_.replace,
                 "with --native: also over an index that says something else");
    options.BeginGroup(kRunGroup);
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    if (native_) return WriteIndexes(operands, output);
    if (operands.size() > 1 || indexes_.replace) {
      return Status(Code::kInvalidArgument,
                    "several files, and --replace, are for --native");
    }
    reindex_.dataset = operands[0];
    InterruptWatcher interrupt;
    ProgressReporter progress(
        "reading the index of " + EscapeBytes(reindex_.dataset) + " ...",
        "reindexing");
    const auto result = Reindex(reindex_, {.progress = progress.function(),
                                           .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const Status written = output.Write(
        json_ ? ResultJson(*result, progress.seconds()) : ResultText(*result));
    // A variant that is gone is a warning and no failure: all that is there has
    // its entry points.
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  static constexpr std::size_t kMaxFiles = std::size_t{1} << 20;

  Result<ExitCode> WriteIndexes(const std::vector<std::string>& files,
                                Output& output) {
    indexes_.files = files;
    const InterruptWatcher interrupt;
    const auto written =
        WriteNativeIndexes(indexes_, {.stop = interrupt.stop_token()});
    if (!written.ok()) return written.status();
    std::string text;
    Json list = Json::array();
    for (const NativeIndex& index : *written) {
      text += IndexText(index);
      list.push_back(IndexJson(index));
    }
    const Status said =
        output.Write(json_ ? JsonLine({{"indexes", std::move(list)}}) : text);
    if (!said.ok()) return said;
    return ExitCode::kDone;
  }

  // Each dataset has a line even where nothing was done: the sizes below a
  // dataset are reindexed with it, and people see which.
  static std::string ResultText(const ReindexResult& result) {
    std::string text;
    for (const ReindexedDataset& dataset : result.datasets) {
      text += DatasetText(dataset);
    }
    for (const std::string& warning : result.warnings) {
      text += "warning: " + MessageLine(warning) + "\n";
    }
    return text;
  }

  static std::string ResultJson(const ReindexResult& result, double seconds) {
    Json datasets = Json::array();
    for (const ReindexedDataset& dataset : result.datasets) {
      datasets.push_back(DatasetJson(dataset));
    }
    Json warnings = Json::array();
    for (const std::string& warning : result.warnings) {
      warnings.push_back(MessageLine(warning));
    }
    return JsonLine({{"datasets", std::move(datasets)},
                     {"seconds", seconds},
                     {"warnings", std::move(warnings)}});
  }

  ReindexOptions reindex_;
  NativeIndexOptions indexes_;
  bool native_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeReindexVerb() {
  return std::make_unique<ReindexVerb>();
}

}  // namespace shardine
