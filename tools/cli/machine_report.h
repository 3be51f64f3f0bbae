// The description of a machine, in text for a bug report or in JSON.
#ifndef SHARDINE_CLI_MACHINE_REPORT_H_
#define SHARDINE_CLI_MACHINE_REPORT_H_

#include <string>

#include "cli/json_text.h"
#include "shardine/machine.h"

namespace shardine {

// A line each, its name first.
std::string MachineText(const Machine& machine);
Json MachineJson(const Machine& machine);

}  // namespace shardine

#endif  // SHARDINE_CLI_MACHINE_REPORT_H_
