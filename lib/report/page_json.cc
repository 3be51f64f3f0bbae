#include "report/page_json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "report/page_text.h"
#include "shardine/audit_words.h"
#include "shardine/report_words.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::size_t kClassBytes = 1'400'000;
constexpr std::size_t kFoundBytes = 500'000;
constexpr std::size_t kSampleBytes = 500'000;
constexpr std::size_t kFileBytes = 150'000;
constexpr std::size_t kIdentityBytes = 60'000;
// Columns of the table of classes, and rows of the one of splits.
constexpr std::size_t kMostColumns = 20;
constexpr std::size_t kMostSplits = 100;

// Rows as long as they have room, and how many have none.
class BoundedRows {
 public:
  explicit BoundedRows(std::size_t bytes) : room_(bytes) {}

  void Add(json row) {
    const std::size_t bytes = JsonInPage(row).size() + 1;
    if (left_out_ > 0 || bytes > room_) {
      ++left_out_;
      return;
    }
    room_ -= bytes;
    rows_.push_back(std::move(row));
  }

  std::size_t left_out() const { return left_out_; }
  json Take() { return {{"rows", std::move(rows_)}, {"left_out", left_out_}}; }

 private:
  std::size_t room_;
  std::size_t left_out_ = 0;
  json rows_ = json::array();
};

double Rounded(double value) { return std::round(value * 1000) / 1000; }

json VerdictJson(const Verdict& verdict) {
  BoundedRows problems(kFileBytes);
  for (const ReportProblem& problem : verdict.problems) {
    problems.Add({{"kind", problem.kind},
                  {"split", problem.split},
                  {"other", problem.other},
                  {"count", problem.count},
                  {"of", problem.of}});
  }
  return {{"answer", WordOf(verdict.answer)}, {"problems", problems.Take()}};
}

json IdentityJson(const ReportFacts& facts) {
  const Manifest& manifest = facts.manifest();
  BoundedRows sources(kIdentityBytes);
  for (const std::string& source : manifest.made.sources) {
    sources.Add(PageName(source));
  }
  BoundedRows options(kIdentityBytes);
  for (const auto& [name, value] : manifest.made.options) {
    options.Add({PageName(name), PageName(value)});
  }
  BoundedRows variants(kIdentityBytes);
  for (const ManifestChild& child : manifest.variants) {
    variants.Add(PageName(child.path));
  }
  return {{"dataset", PageName(facts.path)},
          {"format", PageName(manifest.format)},
          {"variant", PageName(manifest.variant.name)},
          {"samples", manifest.samples()},
          {"bytes", manifest.shard_bytes()},
          {"content_digest", manifest.content_digest().ToHex()},
          {"names_digest", manifest.names_digest().ToHex()},
          {"order_digest", manifest.order_digest().ToHex()},
          {"binding_digest", manifest.binding_digest().ToHex()},
          {"tool_version", PageName(manifest.tool_version)},
          {"command", PageName(manifest.made.command)},
          {"sources", sources.Take()},
          {"options", options.Take()},
          {"variants", variants.Take()}};
}

json LeakageJson(const ReportFacts& facts) {
  BoundedRows rows(kFileBytes);
  for (const SplitCopies& pair : facts.audit.splits) {
    rows.Add({{"split", PageName(pair.split)},
              {"other", PageName(pair.other)},
              {"samples", pair.samples},
              {"copies", pair.copies},
              {"conflicts", pair.conflicts}});
  }
  return rows.Take();
}

json FoundJson(const ReportFacts& facts) {
  BoundedRows rows(kFoundBytes);
  for (std::size_t i = 0; i < facts.found.size(); ++i) {
    const FoundImage& image = facts.found[i];
    json findings = json::array();
    for (const AuditFinding finding : image.findings) {
      findings.push_back(WordOf(finding));
    }
    json samples = json::array();
    for (const FoundMember& sample : image.samples) {
      samples.push_back(
          {sample.split, sample.key, sample.label_text, sample.id});
    }
    json row = {{"findings", std::move(findings)},
                {"proved", image.is_proved},
                {"members", image.members},
                {"samples", std::move(samples)}};
    if (i < facts.found_pictures.size() && facts.found_pictures[i]) {
      row["picture"] = *facts.found_pictures[i];
    }
    rows.Add(std::move(row));
  }
  json found = rows.Take();
  found["columns"] = {"split", "key", "label_text", "id"};
  return found;
}

json PairsJson(const ReportFacts& facts) {
  BoundedRows rows(kFileBytes);
  for (const LabelPair& pair : facts.pairs) {
    rows.Add({pair.label, pair.other, pair.images});
  }
  return rows.Take();
}

json SplitsJson(const ReportFacts& facts) {
  BoundedRows rows(kFileBytes);
  const auto& splits = facts.manifest().splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const auto mixing = facts.classes->mixing(i);
    rows.Add({{"name", PageName(splits[i].name)},
              {"samples", splits[i].samples},
              {"shards", splits[i].shards.size()},
              {"without_class", facts.classes->without(i)},
              {"missing_classes", facts.classes->missing(i)},
              {"imbalance", Rounded(facts.classes->imbalance(i))},
              {"mixing", mixing ? json(Rounded(*mixing)) : json()},
              {"content_digest", splits[i].content_digest.ToHex()}});
    if (i + 1 == kMostSplits) break;
  }
  json all = rows.Take();
  all["left_out"] = splits.size() - all["rows"].size();
  return all;
}

json ClassRows(const ReportFacts& facts, std::size_t name_bytes,
               std::size_t& left_out) {
  const ClassTable& table = *facts.classes;
  const std::size_t columns = std::min(table.splits(), kMostColumns);
  BoundedRows rows(kClassBytes);
  for (std::size_t row = 0; row < table.classes().size(); ++row) {
    const ClassInfo& info = table.classes()[row];
    json counts = json::array();
    for (std::size_t split = 0; split < columns; ++split) {
      counts.push_back(table.count(split, row));
    }
    rows.Add({PageName(info.name, name_bytes), info.label, info.count,
              std::move(counts)});
  }
  left_out = rows.left_out();
  return rows.Take();
}

json ClassesJson(const ReportFacts& facts) {
  json classes;
  for (std::size_t name_bytes = kMostNameBytes;; name_bytes /= 2) {
    std::size_t left_out = 0;
    classes = ClassRows(facts, name_bytes, left_out);
    if (left_out > 0 && name_bytes > 25) continue;
    classes["name_bytes"] = name_bytes;
    classes["columns"] = {"name", "label", "samples", "by_split"};
    return classes;
  }
}

json HistogramsJson(const ReportFacts& facts) {
  json histograms = json::array();
  for (const Histogram& histogram : facts.tally.histograms()) {
    json bars = json::array();
    for (const Histogram::Bar& bar : histogram.bars) {
      bars.push_back({bar.label, bar.count});
    }
    histograms.push_back({{"name", histogram.name}, {"bars", std::move(bars)}});
  }
  return histograms;
}

json RejectedJson(const ReportFacts& facts) {
  BoundedRows rows(kFileBytes);
  for (const Reject& reject : facts.rejects) {
    rows.Add({PageName(reject.key), PageName(reject.reason),
              PageName(reject.split), PageName(reject.action),
              PageName(reject.detail)});
  }
  json all = rows.Take();
  std::uint64_t count = 0;
  json reasons = json::array();
  for (const ManifestRejected& rejected : facts.manifest().rejected) {
    reasons.push_back(
        {PageName(rejected.reason), PageName(rejected.action), rejected.count});
    count += rejected.count;
  }
  all["left_out"] =
      std::max<std::uint64_t>(count, all["rows"].size()) - all["rows"].size();
  all["reasons"] = std::move(reasons);
  all["columns"] = {"key", "reason", "split", "action", "detail"};
  return all;
}

json IgnoredJson(const ReportFacts& facts) {
  BoundedRows rows(kFileBytes);
  for (const LeftOutFile& file : facts.ignored) {
    rows.Add({PageName(file.key), PageName(file.reason), PageName(file.split)});
  }
  json all = rows.Take();
  std::uint64_t count = 0;
  json reasons = json::array();
  for (const ManifestIgnored& ignored : facts.manifest().ignored) {
    reasons.push_back({PageName(ignored.reason), ignored.count});
    count += ignored.count;
  }
  all["left_out"] =
      std::max<std::uint64_t>(count, all["rows"].size()) - all["rows"].size();
  all["reasons"] = std::move(reasons);
  all["columns"] = {"key", "reason", "split"};
  return all;
}

json SamplesJson(const ReportFacts& facts) {
  BoundedRows rows(kSampleBytes);
  for (const ShownSample& sample : facts.shown) {
    const bool has_class = sample.chosen.row < facts.manifest().classes.size();
    rows.Add({sample.chosen.key, sample.chosen.split,
              has_class ? json(sample.chosen.row) : json(), sample.id,
              sample.facts.width, sample.facts.height, sample.chosen.bytes,
              sample.quality,
              sample.picture ? json(*sample.picture) : json(sample.problem)});
  }
  json samples = rows.Take();
  samples["columns"] = {"key",    "split", "class_row", "id",     "width",
                        "height", "bytes", "quality",   "picture"};
  return samples;
}

json AuditJson(const AuditResult& audit) {
  return {{"samples", audit.samples},
          {"images", audit.images},
          {"bytes", audit.bytes},
          {"leaking", audit.leaking},
          {"conflicting", audit.conflicting},
          {"duplicates", audit.duplicates},
          {"unproved", audit.unproved}};
}

}  // namespace

json ReportJson(const ReportFacts& facts, const Verdict& verdict) {
  return {{"schema", kReportSchema},
          {"verdict", VerdictJson(verdict)},
          {"identity", IdentityJson(facts)},
          {"audit", AuditJson(facts.audit)},
          {"leakage", LeakageJson(facts)},
          {"found", FoundJson(facts)},
          {"conflicts", PairsJson(facts)},
          {"splits", SplitsJson(facts)},
          {"classes", ClassesJson(facts)},
          {"histograms", HistogramsJson(facts)},
          {"rejected", RejectedJson(facts)},
          {"ignored", IgnoredJson(facts)},
          {"samples", SamplesJson(facts)},
          {"sampling",
           {{"seed", facts.seed},
            {"samples", facts.audit.samples},
            {"shown", facts.shown.size()},
            {"damaged", facts.damaged}}},
          {"seconds", Rounded(facts.seconds)}};
}

}  // namespace shardine
