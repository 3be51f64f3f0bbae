// The report of a verification.
#ifndef SHARDINE_CLI_VERIFY_REPORT_H_
#define SHARDINE_CLI_VERIFY_REPORT_H_

#include <string>

#include "cli/output.h"
#include "shardine/status.h"
#include "shardine/verify.h"

namespace shardine {

struct VerifyReport {
  std::string target;
  const VerifyResult& result;
  double seconds = 0;
  // Whether shards were read by tasks, so that `seconds` says nothing of them.
  bool by_tasks = false;
  // Whether the images were compared by a list.
  bool by_list = false;
};

Status WriteJson(const VerifyReport& report, Output& output);
// The user asked for findings, so they are lines of results like the summary.
Status WriteText(const VerifyReport& report, Output& output);

}  // namespace shardine

#endif  // SHARDINE_CLI_VERIFY_REPORT_H_
