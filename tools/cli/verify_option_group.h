// The options of a verification: the same for who verifies and for who plans
// that.
#ifndef SHARDINE_CLI_VERIFY_OPTION_GROUP_H_
#define SHARDINE_CLI_VERIFY_OPTION_GROUP_H_

#include "cli/options.h"
#include "shardine/verify.h"

namespace shardine {

// `verify` must outlive `options`.
void DeclareVerifyOptions(Options& options, VerifyOptions& verify);

}  // namespace shardine

#endif  // SHARDINE_CLI_VERIFY_OPTION_GROUP_H_
