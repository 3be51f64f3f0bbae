#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/number.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"
#include "shardine/pack.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Makes a dataset of the shard files FILE, which stay where they are and\n"
    "are not written to: the folder OUT gets the manifest and the sidecars.\n";

class IndexVerb : public Verb {
 public:
  Usage usage() const override { return {"FILE... OUT", 2, 100'000, kText}; }

  void Declare(Options& options) override {
    options.BeginGroup("Samples");
    options.Text("split", "NAME", index_.split,
                 "the split that they are (default: train)");
    options.Text("list", "FILE", index_.list,
                 ".lst with keys and labels by id (default: the one next to "
                 "each FILE, if any)");
    options.BeginGroup("Run");
    options.Number("jobs,j", jobs_, {1, 1024},
                   "worker threads (default: one per processor)");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    index_.files.assign(operands.begin(), operands.end() - 1);
    index_.output = operands.back();
    index_.threads = static_cast<unsigned>(jobs_);

    InterruptWatcher interrupt;
    ProgressReporter progress(
        "scanning " + FormatCount(index_.files.size(), "file") + " ...",
        "indexing");
    const auto result =
        IndexShards(index_, progress.function(), interrupt.stop_token());
    progress.Stop();
    if (!result.ok()) return result.status();
    const double seconds = progress.seconds();
    const Status written =
        output.Write(json_ ? JsonLine(ResultJson(*result, seconds))
                           : ResultText("indexed", *result, seconds));
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  IndexOptions index_;
  std::uint64_t jobs_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeIndexVerb() { return std::make_unique<IndexVerb>(); }

}  // namespace shardine
