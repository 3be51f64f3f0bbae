// What an epoch takes on this machine, in text or JSON.
#ifndef SHARDINE_CLI_EPOCH_REPORT_H_
#define SHARDINE_CLI_EPOCH_REPORT_H_

#include <string>

#include "cli/json_text.h"
#include "shardine/doctor.h"

namespace shardine {

// What was measured, the table, what limits and what to change.
std::string EpochReport(const DoctorResult& result);
// The members of the same, but for advice in words.
Json EpochReportJson(const DoctorResult& result);

}  // namespace shardine

#endif  // SHARDINE_CLI_EPOCH_REPORT_H_
