#include "cli/dataset_job.h"

#include <cstdio>

#include "cli/advice.h"
#include "cli/interrupt.h"
#include "cli/pack_report.h"
#include "cli/progress_reporter.h"

namespace shardine {
namespace {

bool LeftOut(const PackResult& result) {
  if (result.nothing_to_do) return false;
  for (const RejectedCount& entry : result.rejected) {
    if (entry.count > 0 && entry.action != "keep") return true;
  }
  return false;
}

}  // namespace

void DatasetJob::Declare(Options& options) {
  options.BeginGroup(kRunGroup);
  options.Flag("json", json_, "print the result as one JSON object");
}

std::string DatasetJob::ReplaceAdvice(const Status& status) {
  const bool holds_other =
      status.message().find("; choose another folder") != std::string::npos;
  if (status.code() != Code::kChanged || !holds_other) return "";
  // An option may ask for the meaning that the dataset was made with.
  const std::string own = CommandAdvice(status);
  return (own.empty() ? "" : own + "; ") +
         "--replace puts the new dataset in its place";
}

std::string DatasetJob::DamageAdvice(const Status& status, OnBad on_bad) {
  const bool is_of_record =
      status.code() == Code::kCorrupt && status.where().record;
  return is_of_record && on_bad == OnBad::kFail
             ? "--on-bad skip leaves out and lists what does not verify"
             : "";
}

Result<ExitCode> DatasetJob::Run(const Words& words, const Work& work,
                                 Output& output, bool dry_run) const {
  InterruptWatcher interrupt;
  ProgressReporter progress(words.first, words.doing);
  const auto result = work({.progress = progress.function(),
                            .stop = interrupt.stop_token(),
                            .say = progress.say()});
  progress.Stop();
  if (!result.ok()) return result.status();
  if (dry_run) {
    const Status written =
        output.Write(json_ ? JsonLine(DryRunJson(*result))
                           : "would replace " + ReplacedText(result->replaced));
    return written.ok() ? Result<ExitCode>(ExitCode::kDone) : written;
  }
  std::fputs(ListsText(*result).c_str(), stderr);
  const double seconds = progress.seconds();
  Json json = ResultJson(*result, seconds);
  std::string text = ResultText(words.done, *result, seconds);
  if (words.says_contents && !result->contents.lacks()) {
    text += ContentsLine(result->contents);
  }
  if (result->nothing_to_do && !result->contents_compared &&
      !words.not_compared.empty()) {
    json["not_compared"] = JsonText(words.not_compared);
    text += "  " + words.not_compared + "\n";
  }
  const Status written = output.Write(json_ ? JsonLine(json) : text);
  if (!written.ok()) return written;
  return LeftOut(*result) ? ExitCode::kRejected : ExitCode::kDone;
}

}  // namespace shardine
