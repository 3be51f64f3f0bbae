#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "cli/interrupt.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/progress_reporter.h"
#include "cli/server_options.h"
#include "shardine/cache.h"
#include "shardine/escape.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kCacheExamples[] =
    "shardine cache info\n"
    "shardine cache verify\n";

constexpr char kCacheText[] =
    "What is kept on this machine of datasets on servers, in DIR or, without "
    "one,\n"
    "in the user's own folder: info says what there is; verify compares all of "
    "it\n"
    "with its checksums and removes what is damaged; clear removes it.\n"
    "prefetch reads the shards of a split of DATASET, an address, ahead of "
    "time;\n"
    "--cache-size says what the cache may take.\n";

Json ContentsJson(const CacheContents& contents) {
  return {{"folder", JsonText(contents.folder)},
          {"companions", contents.companions},
          {"companion_bytes", contents.companion_bytes},
          {"shards", contents.shards},
          {"shard_bytes", contents.shard_bytes},
          {"damaged_companions", contents.damaged_companions},
          {"damaged_blocks", contents.damaged_blocks}};
}

// "cache: 2 shards, 34.5 MB; 4 indexes, 1.2 MB"
std::string ContentsText(const CacheContents& contents) {
  return EscapeBytes(contents.folder) + ": " +
         FormatCount(contents.shards, "shard") + ", " +
         FormatBytes(contents.shard_bytes) + "; " +
         FormatCount(contents.companions, "companion") + ", " +
         FormatBytes(contents.companion_bytes);
}

std::string DamageText(const CacheContents& contents) {
  const std::uint64_t damaged =
      contents.damaged_companions + contents.damaged_blocks;
  if (damaged == 0) return "; nothing damaged";
  return "; removed " +
         FormatCount(contents.damaged_companions, "damaged companion") + ", " +
         FormatCount(contents.damaged_blocks, "damaged block");
}

class CacheVerb : public Verb {
 public:
  Usage usage() const override {
    return {"info|verify|clear [DIR] | prefetch DATASET", 1, 2, kCacheText,
            kCacheExamples};
  }

  void Declare(Options& options) override {
    options.BeginGroup("Of prefetch");
    options.Text("split", "NAME", dataset_.split,
                 "which one (default: the only one)");
    options.Text("variant", "NAME", dataset_.variant,
                 "which one: sz/160 (default: original)");
    DeclareCacheOptions(options, dataset_.cache, dataset_.cache_bytes);
    options.BeginGroup("Run");
    options.Number("jobs,j", jobs_, {1, 64},
                   "shards that are read at a time (default: 4)");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const std::string& action = operands[0];
    const std::string operand = operands.size() > 1 ? operands[1] : "";
    if (action == "prefetch") return Prefetch(operand, output);
    const std::string& folder = operand.empty() ? dataset_.cache : operand;
    if (action == "info") {
      return Print(Known(ReadCacheContents(folder), operand), "", output);
    }
    if (action == "clear") {
      return Print(Known(ClearCache(folder), operand), "removed of ", output);
    }
    if (action == "verify") return VerifyAll(folder, operand, output);
    return Status(Code::kInvalidArgument,
                  "\"" + EscapeBytes(action) +
                      "\" is none of info, verify, clear, prefetch");
  }

 private:
  // The user's own folder does not exist before something is kept in it.
  static Result<CacheContents> Known(Result<CacheContents> contents,
                                     const std::string& operand) {
    const bool is_new = !contents.ok() && operand.empty() &&
                        contents.status().system_error() == ENOENT;
    return is_new ? CacheContents() : std::move(contents);
  }

  Result<ExitCode> Print(const Result<CacheContents>& contents,
                         const std::string& before, Output& output) const {
    if (!contents.ok()) return contents.status();
    const Status written =
        output.Write(json_ ? JsonLine(ContentsJson(*contents))
                           : before + ContentsText(*contents) + "\n");
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

  Result<ExitCode> VerifyAll(const std::string& folder,
                             const std::string& operand, Output& output) const {
    InterruptWatcher interrupt;
    const auto contents =
        Known(VerifyCache(folder, interrupt.stop_token()), operand);
    if (!contents.ok()) return contents.status();
    const Status written = output.Write(
        json_ ? JsonLine(ContentsJson(*contents))
              : ContentsText(*contents) + DamageText(*contents) + "\n");
    if (!written.ok()) return written;
    const bool is_sound =
        contents->damaged_companions + contents->damaged_blocks == 0;
    return is_sound ? ExitCode::kDone : ExitCode::kDamaged;
  }

  Result<ExitCode> Prefetch(const std::string& dataset, Output& output) const {
    if (dataset.empty()) {
      return Status(Code::kInvalidArgument, "prefetch needs a DATASET");
    }
    InterruptWatcher interrupt;
    ProgressReporter progress("opening ...", "reading");
    const auto result = PrefetchSplit(
        dataset, dataset_, static_cast<unsigned>(jobs_),
        {.progress = progress.function(), .stop = interrupt.stop_token()});
    progress.Stop();
    if (!result.ok()) return result.status();
    const std::string text = FormatCount(result->samples, "sample") + " in " +
                             FormatCount(result->shards, "shard") + ", " +
                             FormatBytes(result->kept_bytes) + " of " +
                             FormatBytes(result->bytes) + " kept\n";
    const Status written =
        output.Write(json_ ? JsonLine({{"shards", result->shards},
                                       {"samples", result->samples},
                                       {"bytes", result->bytes},
                                       {"kept_bytes", result->kept_bytes}})
                           : text);
    if (!written.ok()) return written;
    return result->kept_bytes == result->bytes ? ExitCode::kDone
                                               : ExitCode::kFailed;
  }

  DatasetOptions dataset_;
  std::uint64_t jobs_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeCacheVerb() { return std::make_unique<CacheVerb>(); }

}  // namespace shardine
