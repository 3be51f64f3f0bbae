#include "cli/exit_code.h"

#include <algorithm>

namespace shardine {
namespace {

bool IsDamage(const Status& finding) {
  return finding.code() == Code::kCorrupt ||
         finding.code() == Code::kNotFound || finding.code() == Code::kChanged;
}

}  // namespace

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
