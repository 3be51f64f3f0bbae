#include "cli/exit_code.h"

namespace shardine {

ExitCode ExitCodeOf(const Status& status) {
  switch (status.code()) {
    case Code::kOk:
      return ExitCode::kDone;
    case Code::kInvalidArgument:
      return ExitCode::kUsage;
    case Code::kCorrupt:
      return ExitCode::kDamaged;
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

}  // namespace shardine
