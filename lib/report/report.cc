#include "shardine/report.h"

#include <chrono>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_path.h"
#include "io/atomic_file.h"
#include "io/replaced_file.h"
#include "io/storage_for.h"
#include "report/page.h"
#include "report/report_facts.h"
#include "report/verdict.h"
#include "shardine/describe.h"

namespace shardine {
namespace {

// A report takes the place of an earlier one, and of no other file unasked.
Status CheckOutput(ReadableStorage& storage, const ReportOptions& options) {
  const std::string& path = options.output;
  if (path.empty()) {
    return Status(Code::kInvalidArgument, "a report needs a file to write");
  }
  if (!options.overwrite) {
    return CheckReplacesKind(storage, path, PageBeginning(), "report");
  }
  SHARDINE_RETURN_IF_ERROR(HasFileToReplace(storage, path).status());
  return CheckIsNotOfDataset(storage, path);
}

}  // namespace

Result<ReportResult> Report(const ReportOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  const auto start = std::chrono::steady_clock::now();
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                            OutputStorageFor(job, options.output));
  SHARDINE_RETURN_IF_ERROR(CheckOutput(*storage, options));
  SHARDINE_ASSIGN_OR_RETURN(ReportFacts facts,
                            ReportFacts::Gather(options, job));
  facts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  const Verdict verdict = VerdictOf(facts);
  const ReportPage page = MakePage(facts, verdict);
  SHARDINE_RETURN_IF_ERROR(
      WriteFileAtomically(*storage, options.output, AsBytes(page.html)));
  ReportResult result{.answer = verdict.answer,
                      .samples = facts.audit.samples,
                      .bytes = page.html.size(),
                      .shown = facts.shown.size(),
                      .pictures = page.pictures,
                      .damaged = facts.damaged,
                      .leaking = facts.audit.leaking,
                      .conflicting = facts.audit.conflicting,
                      .duplicates = facts.audit.duplicates};
  for (const ShownSample& sample : facts.shown) {
    result.undecoded += sample.picture ? 0 : 1;
  }
  return result;
}

OptionList DescribeOptions(ReportOptions& report) {
  constexpr char kOutput[] = "Output";
  return {{.group = kOutput,
           .name = "out",
           .meta = "FILE",
           .value = PathValue(report.output),
           .help = "the HTML file; an earlier report is replaced",
           .is_needed = true},
          {.group = kOutput,
           .name = "overwrite",
           .value = FlagValue(report.overwrite),
           .help = "also over a file that is no report"},
          {.group = kOutput,
           .name = "samples",
           .meta = "N",
           .value = NumberValue(report.samples, {0, kMostReportSamples}),
           .help = "show the images of at most N samples, as many of each "
                   "class (default: 1000)"},
          {.group = kOutput,
           .name = "seed",
           .meta = "N",
           .value = NumberValue(report.seed),
           .help = "decides which samples are shown (default: 0)"}};
}

}  // namespace shardine
