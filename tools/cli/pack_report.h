// The closing reports of pack and index, and pack's report of a dry run.
#ifndef SHARDINE_CLI_PACK_REPORT_H_
#define SHARDINE_CLI_PACK_REPORT_H_

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "shardine/pack.h"

namespace shardine {

// A line per list that an index was made with, for stderr.
std::string ListsText(const PackResult& result);

// "  3 of 4 samples have a label, 3 of 4 an image"; nothing without samples.
std::string ContentsLine(const DatasetContents& contents);
Json ContentsJson(const DatasetContents& contents);
// "  rejected: 3 not-an-image (skip)", a line per reason.
std::string RejectedText(const std::vector<RejectedCount>& counts);
// "  ignored: 2 hidden": nothing is done about these.
std::string IgnoredText(const std::vector<RejectedCount>& counts);
Json RejectedJson(const std::vector<RejectedCount>& counts);
Json PathsJson(const std::vector<std::string>& paths);
// "  0 of 40 val samples are in train", a line each; others are warnings.
std::string CopiesText(const std::vector<SplitCopies>& all);
Json CopiesJson(const std::vector<SplitCopies>& all);
// "  left out: field ...", a line each.
std::string FieldsText(const std::vector<FieldLeft>& fields);
Json FieldsJson(const std::vector<FieldLeft>& fields);
// "  warning: labels by position ...", a line each.
std::string WarningText(const std::vector<std::string>& warnings);

// "3 files of a dataset" and their paths, a line each; "nothing".
std::string ReplacedText(const std::vector<std::string>& files);
// The JSON of a dry run.
Json DryRunJson(const PackResult& result);

// `did` is "packed" or "indexed"; `seconds` is the time it took.
std::string ResultText(const std::string& did, const PackResult& result,
                       double seconds);
Json ResultJson(const PackResult& result, double seconds);

std::string PlanText(const PackPlan& plan);
Json PlanJson(const PackPlan& plan);

}  // namespace shardine

#endif  // SHARDINE_CLI_PACK_REPORT_H_
