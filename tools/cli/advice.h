// Advice on the next step, where it depends on the error and not on the verb.
// The library knows no command line, so it cannot give it.
#ifndef SHARDINE_CLI_ADVICE_H_
#define SHARDINE_CLI_ADVICE_H_

#include <string>

#include "shardine/status.h"

namespace shardine {

// Advice on options that several verbs have, or on another verb, by the
// message's text; empty if none would help.
std::string CommandAdvice(const Status& status);

// Is it for lack of a dataset's sidecar index? `cp DIR/*` leaves the folder of
// those behind.
bool IsSidecarMissing(const Status& status);
inline constexpr char kSidecarAdvice[] =
    "copy the folder .shardine as well: DIR/* leaves it out";

// By the errno of `status`; empty if it has none, or there is nothing to
// advise.
std::string SystemAdvice(const Status& status);

}  // namespace shardine

#endif  // SHARDINE_CLI_ADVICE_H_
