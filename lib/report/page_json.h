// The machine-readable part of a report.
#ifndef SHARDINE_REPORT_PAGE_JSON_H_
#define SHARDINE_REPORT_PAGE_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>

#include "report/report_facts.h"
#include "report/verdict.h"

namespace shardine {

// Raised where a member changes its meaning.
inline constexpr int kReportSchema = 1;

// All of it but the thumbnails. Lists have bounds in bytes, which bounds the
// page; each list has the number of rows that it lacks. Classes are all there
// unless they alone take more than 1.4 MB: first their names are cut, then the
// last are left out.
nlohmann::json ReportJson(const ReportFacts& facts, const Verdict& verdict);

}  // namespace shardine

#endif  // SHARDINE_REPORT_PAGE_JSON_H_
