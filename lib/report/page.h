// The page of a report: HTML that needs no other file.
#ifndef SHARDINE_REPORT_PAGE_H_
#define SHARDINE_REPORT_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "report/report_facts.h"
#include "report/verdict.h"

namespace shardine {

// The beginning of each page, and of no other file.
std::string_view PageBeginning();

struct ReportPage {
  std::string html;
  std::size_t pictures = 0;  // thumbnails that had room
};

// At most kMostReportBytes: thumbnails are left out from the last on where
// there are too many. Verdict, identity and leakage stand in the page as they
// are; all else is drawn by its script when a section is opened.
ReportPage MakePage(const ReportFacts& facts, const Verdict& verdict);

}  // namespace shardine

#endif  // SHARDINE_REPORT_PAGE_H_
