// The words for the answers of a report.
#ifndef SHARDINE_REPORT_WORDS_H_
#define SHARDINE_REPORT_WORDS_H_

#include "shardine/report.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<ReportAnswer> {
  static constexpr EnumWord<ReportAnswer> kWords[] = {
      {ReportAnswer::kYes, "yes"},
      {ReportAnswer::kPartly, "partly"},
      {ReportAnswer::kNo, "no"},
      {ReportAnswer::kOneSplit, "one-split"}};
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_WORDS_H_
