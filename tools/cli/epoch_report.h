// The cost of an epoch on this machine, in text or JSON.
#ifndef SHARDINE_CLI_EPOCH_REPORT_H_
#define SHARDINE_CLI_EPOCH_REPORT_H_

#include <string>

#include "cli/json_text.h"
#include "shardine/doctor.h"

namespace shardine {

// The measurements, the table, the bottleneck and the change to make.
std::string EpochReport(const DoctorResult& result);
// The members of the same, but for advice in words.
Json EpochReportJson(const DoctorResult& result);

}  // namespace shardine

#endif  // SHARDINE_CLI_EPOCH_REPORT_H_
