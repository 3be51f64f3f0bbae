// What a process says to its caller when it ends. The numbers are promised to
// users: `shardine --help` lists them.
#ifndef SHARDINE_CLI_EXIT_CODE_H_
#define SHARDINE_CLI_EXIT_CODE_H_

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
  kChanged = 7,  // inputs changed since the plan
  kInterrupted = 130,
};

// kCorrupt is kDamaged. kNotFound is kLocalIo where the system said so (no such
// file), else kFailed (no such key).
ExitCode ExitCodeOf(const Status& status);

}  // namespace shardine

#endif  // SHARDINE_CLI_EXIT_CODE_H_
