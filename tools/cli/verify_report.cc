#include "cli/verify_report.h"

#include <algorithm>
#include <vector>

#include "cli/advice.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "shardine/escape.h"
#include "shardine/printable.h"
#include "shardine/status_words.h"

namespace shardine {
namespace {

Json FindingJson(const Status& finding) {
  const Where& where = finding.where();
  Json json = {{"code", WordOf(finding.code())},
               {"path", JsonText(where.path)}};
  // Positions that a finding does not know are left out: 0 would be a record
  // and a byte like any other.
  if (where.record) json["record"] = *where.record;
  if (where.key) json["key"] = JsonText(*where.key);
  if (where.offset) json["byte"] = *where.offset;
  json["message"] = MessageLine(finding.message());
  return json;
}

// Advice on repairing `findings`; empty without a repair.
std::string RepairAdvice(const std::vector<Status>& findings) {
  const auto of_points = [](const Status& finding) {
    return finding.where().path.ends_with(".sde");
  };
  // Entry points are the only part of a dataset that can be rebuilt from the
  // rest. Any other damage needs a new pack from the sources.
  if (std::ranges::any_of(findings, IsSidecarMissing)) {
    return std::string("note: ") + kSidecarAdvice + "\n";
  }
  if (!std::ranges::any_of(findings, of_points)) return {};
  return "note: shardine reindex --entry-points none takes the entry points "
         "away, and shardine reindex finds them again\n";
}

// A pack gives further samples of one file keys such as a#2.jpg.
std::string ListAdvice(const std::vector<Status>& findings) {
  const auto numbered = [](const Status& finding) {
    return finding.where().key.value_or("").find('#') != std::string::npos &&
           finding.message().starts_with("the tree has no such image");
  };
  if (!std::ranges::any_of(findings, numbered)) return {};
  return "note: keys like a#2.jpg are of lists that name a.jpg twice: --list "
         "FILE compares by the list that was packed\n";
}

std::string TimeAndRate(const VerifyReport& report) {
  const double rate =
      report.seconds > 0
          ? static_cast<double>(report.result.bytes) / report.seconds / 1e6
          : 0;
  return " in " + FormatFixed(report.seconds, 2) + " s, " +
         FormatFixed(rate, 1) + " MB/s";
}

}  // namespace

Status WriteJson(const VerifyReport& report, Output& output) {
  const VerifyResult& result = report.result;
  Json findings = Json::array();
  for (const Status& finding : result.findings) {
    findings.push_back(FindingJson(finding));
  }
  return output.Write(JsonLine({{"target", JsonText(report.target)},
                                {"sound", result.findings.empty()},
                                {"shards", result.shards},
                                {"samples", result.samples},
                                {"bytes", result.bytes},
                                {"seconds", report.seconds},
                                {"contents", ContentsJson(result.contents)},
                                {"findings", std::move(findings)},
                                {"notes", result.notes},
                                {"copies", CopiesJson(result.copies)}}));
}

Status WriteText(const VerifyReport& report, Output& output) {
  const VerifyResult& result = report.result;
  for (const Status& finding : result.findings) {
    const Status status = output.Write(finding.ToString() + "\n");
    if (!status.ok()) return status;
  }
  for (const std::string& note : result.notes) {
    const Status status = output.Write("note: " + MessageLine(note) + "\n");
    if (!status.ok()) return status;
  }
  for (const SplitCopies& copies : result.copies) {
    const Status status =
        output.Write("note: " + EscapeBytes(ToString(copies)) + "\n");
    if (!status.ok()) return status;
  }
  if (result.contents.lacks()) {
    const Status status =
        output.Write("note: " + ToString(result.contents) + "\n");
    if (!status.ok()) return status;
  }
  const std::string advice =
      RepairAdvice(result.findings) +
      (report.by_list ? "" : ListAdvice(result.findings));
  if (Status status = output.Write(advice); !status.ok()) return status;
  const std::string verdict =
      result.findings.empty() ? "sound"
                              : FormatCount(result.findings.size(), "finding");
  return output.Write(EscapeBytes(report.target) + ": " + verdict + ": " +
                      FormatCount(result.samples, "sample") + " in " +
                      FormatCount(result.shards, "shard") + ", " +
                      FormatBytes(result.bytes) +
                      (report.by_tasks ? "" : TimeAndRate(report)) + "\n");
}

}  // namespace shardine
