// Inputs named on the command line must exist before work begins: their absence
// is a usage error, not a failure half way.
#ifndef SHARDINE_IM2REC_INPUT_CHECK_H_
#define SHARDINE_IM2REC_INPUT_CHECK_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// kInvalidArgument if there is nothing, or something else, at `path`.
Status CheckInput(ReadableStorage& storage, const std::string& path,
                  FileKind kind);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_INPUT_CHECK_H_
