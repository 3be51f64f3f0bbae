// Verdict: whether evaluations on the splits of a dataset can be trusted, and
// the reasons against it, the worst first.
#ifndef SHARDINE_REPORT_VERDICT_H_
#define SHARDINE_REPORT_VERDICT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "report/report_facts.h"
#include "shardine/report.h"

namespace shardine {

// page.html has a fragment for each kind, with its remedy.
struct ReportProblem {
  const char* kind = "";
  double weight = 0;  // the larger, the worse
  std::string split = {};
  std::string other = {};
  std::uint64_t count = 0;
  std::uint64_t of = 0;
};

struct Verdict {
  ReportAnswer answer = ReportAnswer::kYes;
  std::vector<ReportProblem> problems;  // the worst first
};

Verdict VerdictOf(const ReportFacts& facts);

}  // namespace shardine

#endif  // SHARDINE_REPORT_VERDICT_H_
