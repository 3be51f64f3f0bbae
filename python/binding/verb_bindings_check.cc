#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/audit.h"
#include "shardine/audit_words.h"
#include "shardine/card.h"
#include "shardine/describe.h"
#include "shardine/diff.h"
#include "shardine/pack_words.h"
#include "shardine/report.h"
#include "shardine/report_words.h"
#include "shardine/scan.h"
#include "shardine/status_words.h"
#include "shardine/verify.h"
#include "shardine/verify_words.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

nb::object NumberOrNone(const std::optional<std::uint64_t>& number) {
  return number ? nb::object(nb::int_(*number)) : nb::object(nb::none());
}

nb::object FindingObject(const Status& finding) {
  const Where& where = finding.where();
  std::string code = WordOf(finding.code());
  std::ranges::replace(code, '-', '_');  // as shardine.errors has it
  return MakeResult(
      "Finding", "code"_a = code, "path"_a = NameText(where.path),
      "record"_a = NumberOrNone(where.record),
      "key"_a = where.key ? NameText(*where.key) : nb::object(nb::none()),
      "byte"_a = NumberOrNone(where.offset),
      "message"_a = MessageText(finding.message()));
}

nb::object RunVerify(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  VerifyOptions verify;
  given.Path("target", verify.target);
  given.Read(DescribeOptions(verify));
  given.Finish();
  const VerifyResult result =
      RunVerb(tell, [&](const Job& job) { return Verify(verify, job); });
  return MakeResult("VerifyResult", "target"_a = NameText(verify.target),
                    "sound"_a = result.findings.empty(),
                    "shards"_a = result.shards, "samples"_a = result.samples,
                    "bytes"_a = result.bytes,
                    "contents"_a = ContentsResult(result.contents),
                    "findings"_a = TupleOf(result.findings, &FindingObject),
                    "notes"_a = MessageTuple(result.notes),
                    "copies"_a = TupleOf(result.copies, &SplitCopiesObject));
}

// With memory of its own: the views of Diff() end with the call.
struct DifferenceResult {
  DifferenceKind kind;
  std::string split, key, other_split, other_key;
  std::vector<Label> labels, other_labels;
};

DifferenceResult Hold(const Difference& difference) {
  return {difference.kind,
          std::string(difference.split),
          std::string(difference.key),
          std::string(difference.other_split),
          std::string(difference.other_key),
          {difference.labels.begin(), difference.labels.end()},
          {difference.other_labels.begin(), difference.other_labels.end()}};
}

nb::object DifferenceObject(const DifferenceResult& difference) {
  const auto only = [&](DifferenceKind kind, const nb::object& value) {
    return difference.kind == kind ? value : nb::object(nb::none());
  };
  constexpr DifferenceKind kRenamed = DifferenceKind::kRenamed;
  return MakeResult(
      "Difference", "kind"_a = WordOf(difference.kind),
      "split"_a = NameText(difference.split),
      "key"_a = NameText(difference.key),
      "labels"_a = LabelTuple(difference.labels),
      "other_split"_a = only(kRenamed, NameText(difference.other_split)),
      "other_key"_a = only(kRenamed, NameText(difference.other_key)),
      "other_labels"_a = only(DifferenceKind::kRelabelled,
                              LabelTuple(difference.other_labels)));
}

nb::object RunDiff(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  std::string first;
  std::string second;
  given.Path("first", first);
  given.Path("second", second);
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  given.Number("limit", limit);
  given.Finish();
  std::vector<DifferenceResult> differences;
  const auto visit = [&](const Difference& difference) {
    if (differences.size() < limit) differences.push_back(Hold(difference));
    return Status();
  };
  const DiffResult result = RunVerb(
      tell, [&](const Job& job) { return Diff(first, second, visit, job); });
  return MakeResult("DiffResult", "equal"_a = result.equal(),
                    "same"_a = result.same, "added"_a = result.added,
                    "removed"_a = result.removed, "changed"_a = result.changed,
                    "relabelled"_a = result.relabelled,
                    "renamed"_a = result.renamed,
                    "differences"_a = TupleOf(differences, &DifferenceObject),
                    "notes"_a = MessageTuple(result.notes));
}

// As DifferenceResult.
struct SampleResult {
  std::string split, key, label_text;
  std::uint64_t id = 0;
  std::vector<Label> labels;
};

struct CopiesResult {
  std::vector<AuditFinding> findings;
  CopyKind kind = CopyKind::kBytes;
  std::size_t second = 0;
  bool is_proved = false;
  std::vector<SampleResult> samples;
};

struct OddResult {
  std::vector<AuditFinding> findings;
  SampleResult sample;
};

SampleResult Hold(const AuditedSample& sample) {
  return {std::string(sample.split),
          std::string(sample.key),
          std::string(sample.label_text),
          sample.id,
          {sample.labels.begin(), sample.labels.end()}};
}

CopiesResult Hold(const CopiedImage& image) {
  CopiesResult held{
      image.findings, image.kind, image.second, image.is_proved, {}};
  for (const AuditedSample& sample : image.samples) {
    held.samples.push_back(Hold(sample));
  }
  return held;
}

nb::object SampleObject(const SampleResult& sample) {
  return MakeResult("AuditedSample", "split"_a = NameText(sample.split),
                    "key"_a = NameText(sample.key), "id"_a = sample.id,
                    "labels"_a = LabelTuple(sample.labels),
                    "label_text"_a = NameText(sample.label_text));
}

nb::object FindingsObject(const std::vector<AuditFinding>& findings) {
  return TupleOf(findings,
                 [](AuditFinding finding) { return nb::str(WordOf(finding)); });
}

nb::object CopiesObject(const CopiesResult& image) {
  return MakeResult("CopiedImage",
                    "findings"_a = FindingsObject(image.findings),
                    "kind"_a = WordOf(image.kind), "second"_a = image.second,
                    "proved"_a = image.is_proved,
                    "samples"_a = TupleOf(image.samples, &SampleObject));
}

nb::object OddObject(const OddResult& image) {
  return MakeResult("OddImage", "findings"_a = FindingsObject(image.findings),
                    "sample"_a = SampleObject(image.sample));
}

nb::dict OddCounts(const AuditResult& result) {
  nb::dict counts;
  for (const OddCount& count : result.odd) {
    counts[WordOf(count.finding)] = count.images;
  }
  return counts;
}

nb::object RunAudit(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  AuditOptions audit;
  given.Paths("datasets", audit.datasets);
  given.Read(DescribeOptions(audit));
  given.Finish();
  std::vector<CopiesResult> images;
  const auto visit = [&](const CopiedImage& image) {
    images.push_back(Hold(image));
    return Status();
  };
  std::vector<OddResult> odd;
  audit.visit_odd = [&](const OddImage& image) {
    odd.push_back({image.findings, Hold(image.sample)});
    return Status();
  };
  const AuditResult result =
      RunVerb(tell, [&](const Job& job) { return Audit(audit, visit, job); });
  return MakeResult(
      "AuditResult", "samples"_a = result.samples, "images"_a = result.images,
      "bytes"_a = result.bytes, "leaking"_a = result.leaking,
      "conflicting"_a = result.conflicting, "duplicates"_a = result.duplicates,
      "unproved"_a = result.unproved,
      "splits"_a = TupleOf(result.splits, &SplitCopiesObject),
      "same_pixels"_a = result.same_pixels, "near_pairs"_a = result.near_pairs,
      "near_leaking"_a = result.near_leaking,
      "near_conflicting"_a = result.near_conflicting,
      "near_duplicates"_a = result.near_duplicates,
      "near_splits"_a = TupleOf(result.near_splits, &SplitCopiesObject),
      "odd_counts"_a = OddCounts(result), "unread"_a = result.unread,
      "problems"_a = TupleOf(result.problems,
                             [](const Status& problem) {
                               return MessageText(problem.ToString());
                             }),
      "unsupported"_a = result.unsupported, "plain"_a = result.plain,
      "cut"_a = result.cut, "left_out"_a = result.left_out,
      "lists"_a = TupleOf(result.lists, &NameText),
      "copies"_a = TupleOf(images, &CopiesObject),
      "odd"_a = TupleOf(odd, &OddObject));
}

nb::object RunReport(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  ReportOptions report;
  given.Path("dataset", report.dataset);
  given.Read(DescribeOptions(report));
  given.Finish();
  const ReportResult result =
      RunVerb(tell, [&](const Job& job) { return Report(report, job); });
  return MakeResult(
      "ReportResult", "output"_a = NameText(report.output),
      "answer"_a = WordOf(result.answer), "samples"_a = result.samples,
      "bytes"_a = result.bytes, "shown"_a = result.shown,
      "pictures"_a = result.pictures, "undecoded"_a = result.undecoded,
      "damaged"_a = result.damaged, "leaking"_a = result.leaking,
      "conflicting"_a = result.conflicting, "duplicates"_a = result.duplicates);
}

nb::object RunCard(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  CardOptions card;
  given.Path("dataset", card.dataset);
  given.Read(DescribeOptions(card));
  given.Finish();
  const CardResult result =
      RunVerb(tell, [&](const Job& job) { return Card(card, job); });
  return MakeResult(
      "CardResult", "written"_a = TupleOf(result.written, &NameText),
      "kept"_a = TupleOf(result.kept, &NameText), "samples"_a = result.samples,
      "files"_a = result.files, "bytes"_a = result.bytes);
}

nb::tuple TallyTuple(const std::vector<ScanTally>& tallies) {
  return TupleOf(tallies, [](const ScanTally& tally) {
    return MakeResult("ScanTally", "word"_a = MessageText(tally.word),
                      "count"_a = tally.count,
                      "first"_a = TupleOf(tally.keys, &NameText));
  });
}

nb::object SpreadObject(const ScanSpread& spread) {
  return MakeResult("ScanSpread", "min"_a = spread.min,
                    "median"_a = spread.median, "max"_a = spread.max);
}

nb::object RunScan(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  ScanOptions scan;
  given.Path("target", scan.target);
  given.Read(DescribeOptions(scan));
  given.Finish();
  const ScanResult result =
      RunVerb(tell, [&](const Job& job) { return Scan(scan, job); });
  return MakeResult("ScanResult", "target"_a = NameText(scan.target),
                    "files"_a = result.files, "bytes"_a = result.bytes,
                    "bad"_a = result.bad, "sized"_a = result.sized,
                    "kinds"_a = TallyTuple(result.kinds),
                    "problems"_a = TallyTuple(result.problems),
                    "codings"_a = TallyTuple(result.codings),
                    "chroma"_a = TallyTuple(result.chroma),
                    "traits"_a = TallyTuple(result.traits),
                    "ignored"_a = TallyTuple(result.ignored),
                    "others"_a = TallyTuple(result.others),
                    "neighbours"_a = TallyTuple(result.neighbours),
                    "warnings"_a = MessageTuple(result.warnings),
                    "width"_a = SpreadObject(result.width),
                    "height"_a = SpreadObject(result.height),
                    "short_side"_a = SpreadObject(result.short_side));
}

}  // namespace

void RegisterCheckVerbs(nb::module_& module) {
  module.def("audit", &RunAudit, "options"_a, "tell"_a.none());
  module.def("card", &RunCard, "options"_a, "tell"_a.none());
  module.def("diff", &RunDiff, "options"_a, "tell"_a.none());
  module.def("report", &RunReport, "options"_a, "tell"_a.none());
  module.def("scan", &RunScan, "options"_a, "tell"_a.none());
  module.def("verify", &RunVerify, "options"_a, "tell"_a.none());
}

}  // namespace shardine::binding
