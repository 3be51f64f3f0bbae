// The exit codes of processes: the one table for all programs. The numbers are
// promised to users: `shardine --help` lists them.
#ifndef SHARDINE_CLI_EXIT_CODE_H_
#define SHARDINE_CLI_EXIT_CODE_H_

#include <span>

#include "shardine/status.h"

namespace shardine {

enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kRejected = 3,  // done, but some inputs were left out
  kDamaged = 4,
  kLocalIo = 5,
  kRemote = 6,
  kChanged = 7,   // inputs changed since the plan
  kFindings = 8,  // of an audit, of the kinds that were named
  kInterrupted = 130,
};

struct ExitCodeText {
  ExitCode code;
  const char* name;  // "done, but some inputs were rejected"
  const char* text;  // when
};

std::span<const ExitCodeText> ExitCodeTexts();

// The inputs of a command: images and lists, which may be bad, or shards, which
// are damaged if they differ from their written form.
enum class Inputs { kSources, kDatasets };

// kCorrupt is kDamaged, of sources kFailed. kNotFound is kLocalIo where the
// system said so (no such file), else kFailed (no such key).
ExitCode ExitCodeOf(const Status& status, Inputs inputs = Inputs::kDatasets);

// The exit code of a check's findings: kDone without any. kDamaged if anything
// is damaged, changed or missing; else the code of the first finding, which
// kept the check from finding out.
ExitCode ExitCodeOf(std::span<const Status> findings);

}  // namespace shardine

#endif  // SHARDINE_CLI_EXIT_CODE_H_
