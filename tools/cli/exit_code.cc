#include "cli/exit_code.h"

#include <algorithm>

namespace shardine {
namespace {

bool IsDamage(const Status& finding) {
  return finding.code() == Code::kCorrupt ||
         finding.code() == Code::kNotFound || finding.code() == Code::kChanged;
}

}  // namespace

std::span<const ExitCodeText> ExitCodeTexts() {
  static constexpr ExitCodeText kTexts[] = {
      {ExitCode::kDone, "done", "All is as it was asked for, or was before."},
      {ExitCode::kFailed, "failed",
       "A list does not parse, a source image is bad, a sample does not exist, "
       "the output exists, or a format cannot hold a sample."},
      {ExitCode::kUsage, "usage",
       "An option or operand is wrong, or one more is needed."},
      {ExitCode::kRejected, "done but some inputs were rejected",
       "Bad images were left out, or a scan found problems."},
      {ExitCode::kDamaged, "damage found",
       "A dataset or shard is damaged, or two datasets differ."},
      {ExitCode::kLocalIo, "local files",
       "A file does not exist, cannot be used, or the disk is full."},
      {ExitCode::kRemote, "remote",
       "A server refused, or did not answer for too long."},
      {ExitCode::kChanged, "inputs changed since the plan",
       "A source is another one than when the work was planned, or the output "
       "belongs to another plan."},
      {ExitCode::kFindings, "findings of an audit",
       "An audit found what --fail-on names."},
      {ExitCode::kInterrupted, "interrupted",
       "The same command goes on where it ended."},
  };
  return kTexts;
}

ExitCode ExitCodeOf(const Status& status, Inputs inputs) {
  switch (status.code()) {
    case Code::kOk:
      return ExitCode::kDone;
    case Code::kInvalidArgument:
      return ExitCode::kUsage;
    case Code::kCorrupt:
      return inputs == Inputs::kDatasets ? ExitCode::kDamaged
                                         : ExitCode::kFailed;
    case Code::kIo:
      return ExitCode::kLocalIo;
    case Code::kRemote:
      return ExitCode::kRemote;
    case Code::kChanged:
      return ExitCode::kChanged;
    case Code::kCancelled:
      return ExitCode::kInterrupted;
    case Code::kNotFound:
      return status.system_error() != 0 ? ExitCode::kLocalIo
                                        : ExitCode::kFailed;
    case Code::kFailed:
    case Code::kAlreadyExists:
    case Code::kUnsupported:
      return ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

ExitCode ExitCodeOf(std::span<const Status> findings) {
  if (findings.empty()) return ExitCode::kDone;
  return std::ranges::any_of(findings, IsDamage) ? ExitCode::kDamaged
                                                 : ExitCodeOf(findings[0]);
}

}  // namespace shardine
